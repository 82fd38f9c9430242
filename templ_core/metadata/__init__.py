"""Who wrote a page, when, in what language, under which title: what its markup says about it."""
