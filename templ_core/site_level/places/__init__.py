"""Places: where text stands on the pages of a site, and what is known about each place."""
