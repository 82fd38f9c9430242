"""Methods and experiments of papers that the product does not use itself."""
