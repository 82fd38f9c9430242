"""The features of a page's segments: numbers that need no trained model."""
