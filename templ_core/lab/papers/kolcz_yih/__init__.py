"""Site-independent detection of template blocks and its use for keywords (Kolcz, Yih, PKDD 2007)."""
