"""The workers around the core: Kafka, RocksDB, files, child processes and commands."""
