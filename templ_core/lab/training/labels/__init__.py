"""Labels: how much of each segment is content, from gold or by counting repeats on a site."""
