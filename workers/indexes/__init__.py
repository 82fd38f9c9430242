"""Indexes that are kept up to date with cleaned records."""
