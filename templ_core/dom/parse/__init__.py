"""Parsing of markup: it is stripped, scanned, parsed and flattened to columns."""
