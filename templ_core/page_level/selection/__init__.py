"""Which segments of a page are kept, given their log-odds for content."""
