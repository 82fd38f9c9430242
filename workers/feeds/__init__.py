"""Readers that turn files and messages of crawlers into pages."""
