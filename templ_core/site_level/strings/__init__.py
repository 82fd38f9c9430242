"""Text that the pages of a site repeat: the maximal strings of its window."""
