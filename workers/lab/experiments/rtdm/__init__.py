"""Experiments of Vieira et al. (CIKM 2006)."""
