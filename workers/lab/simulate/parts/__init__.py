"""Parts of synthetic pages."""
