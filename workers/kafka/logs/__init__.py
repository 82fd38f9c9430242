"""The logs of partitions: what the broker says of them, and where reading resumes."""
