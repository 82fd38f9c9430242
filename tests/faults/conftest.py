from tests.kafka.conftest import _running_again, kafka_broker, prefix

__all__ = ["_running_again", "kafka_broker", "prefix"]
