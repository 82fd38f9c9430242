"""Cleaning of pages and learning of sites, independent of the transport."""
