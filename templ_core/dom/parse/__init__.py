"""The text of a page to its elements as columns."""
