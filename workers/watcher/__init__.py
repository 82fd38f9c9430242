"""What changes on pages and sites, and which pages are copies, by the records of `cleaned` alone."""
