"""Containers: the elements that hold the content of the pages of a site."""
