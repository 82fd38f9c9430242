"""Child processes, and what they do."""
