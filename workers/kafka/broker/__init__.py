"""Topics, consumers, offsets and messages of a Kafka broker."""
