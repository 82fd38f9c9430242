"""Windows and site models in RocksDB."""
