"""The commands of archives."""
