"""Where text stands on the pages of a site, and what is known of each place."""
