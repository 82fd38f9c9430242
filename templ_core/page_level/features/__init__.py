"""What is measured of each text segment of a page."""
