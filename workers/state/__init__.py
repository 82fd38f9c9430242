"""What the workers keep on disk: windows of documents, site models and the directory they are in."""
