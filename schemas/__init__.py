"""Message values, their codecs, header names and topic specifications; imports nothing of ours."""
