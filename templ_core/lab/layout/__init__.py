"""Where the elements of a page would stand on a screen, without a browser."""
