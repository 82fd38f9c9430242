"""What operators have decided about sites: reading, keeping and changing it."""
