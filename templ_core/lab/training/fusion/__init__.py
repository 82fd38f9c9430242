"""Fitting of the fusion of page and site, and its evaluation on held-out sites and corpora."""
