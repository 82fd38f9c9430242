"""A cleaner that takes its time, and writes down what it cleans and when it reads no further.

    python -m tests.kafka.paced_cleaner BROKER PREFIX STATE JOURNAL SECONDS

It waits for some seconds before each batch. The journal is a file that several of them may share.
"""

import asyncio
import os
import sys
from pathlib import Path

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.cleaner import Cleaner
from workers.kafka.patches import LogConsumer, bound_fetches
from workers.kafka.run_role import run_role
from workers.settings import load_settings


def main():
    address, prefix, state, journal, seconds = sys.argv[1:]
    file = os.open(journal, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(event, partition, offset=-1):
        os.write(file, f"{Path(state).name} {event} {partition} {offset}\n".encode())

    def noted(event, method):
        def call(self, partition):
            if event == "paused" or partition in self._buffered_partitions:
                note(event, partition.partition)
            method(self, partition)

        return call

    LogConsumer.on_buffer_full = noted("paused", LogConsumer.on_buffer_full)
    LogConsumer.on_buffer_drop = noted("resumed", LogConsumer.on_buffer_drop)
    clean_batch = Cleaner._batch

    async def slowly(self, events):
        await asyncio.sleep(float(seconds))
        rest = await clean_batch(self, events)
        for event in events:
            note("cleaned", event.message.partition, event.message.offset)
        return rest

    Cleaner._batch = slowly
    settings = load_settings()
    bound_fetches(settings.record_limit_bytes)
    run_role("cleaner", BrokerAccess(address, prefix=prefix), Path(state), settings, is_alone=True)


if __name__ == "__main__":
    main()
