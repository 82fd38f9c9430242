"""What operators do with the topics of running workers."""
