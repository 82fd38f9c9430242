"""What a search engine gains from clean text."""
