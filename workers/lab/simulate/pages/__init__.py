"""The page types of synthetic sites."""
