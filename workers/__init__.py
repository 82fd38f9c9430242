"""Everything that touches the world: Kafka, RocksDB, files, child processes, commands."""
