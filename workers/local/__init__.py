"""The worker on files, without a broker."""
