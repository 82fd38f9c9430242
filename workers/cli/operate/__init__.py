"""Commands for those who deploy and operate workers."""
