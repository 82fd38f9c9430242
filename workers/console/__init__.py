"""The console: a small web server where people see a worker's sites and correct them."""
