"""Experiments with whole sites, page after page."""
