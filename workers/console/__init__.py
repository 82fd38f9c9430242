"""The console: a small web server at which people look at a worker's sites and correct them."""
