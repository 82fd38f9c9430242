"""The text of synthetic sites."""
