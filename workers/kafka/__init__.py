"""The worker on Kafka: its faust apps, supervision, metrics and recovery."""
