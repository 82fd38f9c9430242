"""What one page alone says about its text."""
