"""Scores of cleaned text, measured on corpora with gold text."""
