"""The way of a page from its bytes to a document, whose elements and texts are columns."""
