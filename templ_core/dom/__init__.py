"""Page bytes to a document: flat columns in document order."""
