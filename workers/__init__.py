"""The workers around the core: Kafka, RocksDB, files, child processes and commands."""

import logging

from workers.log_lines import escape_log_arguments

LOG_NAME = "templ"
"""Name of the only logger of templ's own messages."""
logging.getLogger(LOG_NAME).addFilter(escape_log_arguments)
