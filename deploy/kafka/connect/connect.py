"""Kafka Connect on this machine with a connector of this folder, for trying its settings and for the tests.

Usage: python deploy/kafka/connect/connect.py --broker HOST:PORT --out FILE [--prefix TEXT] [--data DIR] [CONNECTOR]

Needs Java 17 or newer and, the first time, Maven with a network. Standard library only.
"""

import argparse
import sys
import time
from pathlib import Path
from string import Template
from subprocess import Popen

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from broker import CACHE, BrokerError, fetch_jars, free_port, spawn_tied, tool, version  # noqa: E402

LOG_FILE = "connect.log"
HEAP = "256m"
_POLL_S = 0.2


def start(connector: Path, data: Path, cache: Path = CACHE, **values: str) -> Popen[bytes]:
    """Start Kafka Connect in standalone mode; it ends together with this process.

    Args:
        connector: Properties of a connector.
        data: Folder for its offsets and its log.
        cache: Folder of jars.
        values: What stands for `$broker`, `$prefix` and `$out` in the properties.

    Raises:
        BrokerError: A tool is missing, or Maven could not get the jars.
    """
    data.mkdir(parents=True, exist_ok=True)
    jars = fetch_jars(HERE / "pom.xml", cache / f"connect-{version()}")
    settings = []
    for path in (HERE / "worker.properties", connector):
        filled = Template(path.read_text(encoding="utf-8")).substitute(
            values, data=data.resolve(), port=free_port()
        )
        settings.append(data / path.name)
        settings[-1].write_text(filled, encoding="utf-8")
    java = [tool("java"), f"-Xmx{HEAP}", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
    java += ["-cp", f"{jars}/*", "org.apache.kafka.connect.cli.ConnectStandalone"]
    return spawn_tied([*java, *map(str, settings)], data / LOG_FILE)


def main() -> int:
    """Run a connector until Ctrl-C; return the exit code."""
    parser = argparse.ArgumentParser(description="Run Kafka Connect with a connector.")
    parser.add_argument(
        "connector", nargs="?", type=Path, default=HERE / "cleaned-to-file.properties"
    )
    parser.add_argument("--broker", default="127.0.0.1:9092", help="HOST:PORT (%(default)s)")
    parser.add_argument("--prefix", default="", help="text before the name of each topic")
    parser.add_argument(
        "--out", default="cleaned.jsonl", help="file of the file sink (%(default)s)"
    )
    parser.add_argument("--data", type=Path, default=Path("out/connect"), help="data (%(default)s)")
    given = parser.parse_args()
    try:
        process = start(
            given.connector, given.data, broker=given.broker, prefix=given.prefix, out=given.out
        )
    except BrokerError as error:
        sys.stderr.write(f"connect: {error}\n")
        return 1
    try:
        while process.poll() is None:
            time.sleep(_POLL_S)
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        return 0
    sys.stderr.write(f"connect: it ended by itself (see {given.data / LOG_FILE})\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
