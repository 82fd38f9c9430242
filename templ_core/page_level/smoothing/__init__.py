"""Isotonic smoothing of scores down the tree of a page."""
