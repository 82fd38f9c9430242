"""Sentences that a site repeats: template wherever they stand."""
