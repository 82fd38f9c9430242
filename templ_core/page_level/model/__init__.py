"""The page model: from a page's features to the log-odds that each segment is content."""
