"""The commands of the index."""
