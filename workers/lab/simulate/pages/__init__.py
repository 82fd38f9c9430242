"""Kinds of synthetic pages."""
