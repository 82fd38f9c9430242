"""The worker on files, which needs no broker."""
