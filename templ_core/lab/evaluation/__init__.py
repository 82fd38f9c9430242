"""Scores of cleaned text against gold text."""
