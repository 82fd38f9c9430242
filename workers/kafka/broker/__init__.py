"""Access to the broker: topics, consumers, producers and offsets."""
