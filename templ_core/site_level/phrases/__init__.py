"""Phrases that recur on the pages of a site, by suffix arrays."""
