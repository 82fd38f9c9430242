"""Experiments on sites whose pages are taken in order."""
