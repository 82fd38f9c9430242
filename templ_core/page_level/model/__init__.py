"""The page model: from features to log-odds for content."""
