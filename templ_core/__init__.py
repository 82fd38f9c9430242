"""Algorithms only: bytes and values in, values out."""
