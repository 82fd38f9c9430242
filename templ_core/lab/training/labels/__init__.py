"""How much of each segment is content, by gold text or by counting on sites."""
