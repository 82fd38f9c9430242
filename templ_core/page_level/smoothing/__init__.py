"""Isotonic smoothing of scores down the tree of a page, and the sections it finds."""
