"""The logs of partitions: what the broker says of them, and where reading of them goes on."""
