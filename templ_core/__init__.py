"""Algorithms only: bytes and values in, values out."""

__version__ = "0.1.0"
