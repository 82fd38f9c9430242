"""How a broker is reached, and what a user may do there."""
