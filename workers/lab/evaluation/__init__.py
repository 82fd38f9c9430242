"""What the cleaned text of pages is worth, measured on corpora with gold."""
