"""The elements that hold the content of the pages of a site."""
