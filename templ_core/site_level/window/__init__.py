"""How a site is learned from the pages of its window, and when."""
