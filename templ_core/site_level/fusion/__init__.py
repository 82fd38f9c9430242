"""Fusion: the evidence of page and site as one score for each segment."""
