"""Whether the clients of a task log what they meet."""

import logging
from contextvars import ContextVar

IS_SILENT = ContextVar("IS_SILENT", default=False)
"""Whether the clients of the present task log nothing; other tasks log as ever."""


def _has_log(_record: logging.LogRecord) -> bool:
    return not IS_SILENT.get()


for _name in ("aiokafka", "aiokafka.admin.client", "aiokafka.cluster", "aiokafka.conn"):
    logging.getLogger(_name).addFilter(_has_log)
