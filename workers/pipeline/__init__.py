"""What becomes of a page, whatever the transport."""
