"""What was learned of a site, and what was decided about a page, made visible; nothing is changed."""
