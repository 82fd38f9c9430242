"""The site level: what the pages of a site share."""
