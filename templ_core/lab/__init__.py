"""Baselines of the papers, training and evaluation; the product does not import it."""
