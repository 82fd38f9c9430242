"""The detector of template blocks of Kolcz and Yih (PKDD 2007)."""
