"""Metrics that compare what was kept of a page with its gold, and the statistics around them."""
