"""Bytes as fetched to the text of a page."""
