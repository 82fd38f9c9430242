"""Fitting and judging the fusion of page and site."""
