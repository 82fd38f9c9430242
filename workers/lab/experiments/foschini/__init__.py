"""Experiments of Foschini's thesis (2007)."""
