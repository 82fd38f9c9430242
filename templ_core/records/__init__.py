"""Records of a page: the posts of a thread, the items of a listing and the fields of the page itself."""
