"""Methods of the four papers that the product does not use itself."""
