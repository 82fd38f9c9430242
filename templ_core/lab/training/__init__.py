"""Training of the page model and of the fusion of page and site; cleaning does not need it."""
