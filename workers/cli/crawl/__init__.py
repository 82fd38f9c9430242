"""The command that crawls."""
