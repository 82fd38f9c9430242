"""Strings that recur in a corpus of tokens, by its suffix array."""
