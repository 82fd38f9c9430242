"""What one page alone says about its text: features, page model, smoothing and selection."""
