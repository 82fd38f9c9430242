"""Experiments of the thesis of Foschini (2007)."""
