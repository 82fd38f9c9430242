"""What the pages of a site share."""
