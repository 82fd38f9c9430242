"""Experiments of Kolcz and Yih (PKDD 2007)."""
