"""Events of a site: what changes on a site as a whole, noticed once and not on each page."""
