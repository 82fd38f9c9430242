"""The evidence of page and site as one score."""
