"""Synthetic sites with known truth."""
