"""Fitting the page model to pages with gold text; not needed to clean."""
