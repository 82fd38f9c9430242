"""Phrases: strings that recur on the pages of a site, found by suffix arrays."""
