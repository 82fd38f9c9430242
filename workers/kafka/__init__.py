"""The worker on Kafka: faust apps, topics, dead letters, recovery."""
