"""An Apache Kafka broker on this machine, for trying things and for the tests.

Usage: python deploy/kafka/broker.py [--port 9092] [--data DIR]

Needs Java 17 or newer and, the first time, Maven with a network. Standard library only.
"""

import argparse
import atexit
import base64
import fcntl
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import Future
from os import getpid
from pathlib import Path
from string import Template
from types import FrameType
from typing import IO

HERE = Path(__file__).resolve().parent
POM = HERE / "pom.xml"
CACHE = HERE.parents[1] / ".cache" / "kafka"
HOST = "127.0.0.1"
HEAP = "512m"
LOG_FILE = "kafka.log"
FETCH_SECONDS = 900
START_SECONDS = 180
STOP_SECONDS = 20
FREE_PORTS = range(20000, 30000)
"""Below the ports that systems hand to outgoing connections: nothing takes one during a restart."""


class BrokerError(Exception):
    """The broker cannot run; one line says why and what to do."""


def version() -> str:
    """Kafka version that `pom.xml` asks for."""
    found = re.search(r"<kafka\.version>([^<]+)<", POM.read_text(encoding="utf-8"))
    if not found:
        raise BrokerError(f"{POM} names no <kafka.version>")
    return found[1]


def missing_tool() -> str | None:
    """What is not installed of `java` and `mvn`; `mvn` is needed only until the jars are there."""
    needed = ["java"] if (CACHE / version()).is_dir() else ["java", "mvn"]
    return next((tool for tool in needed if not shutil.which(tool)), None)


def fetch(cache: Path = CACHE) -> Path:
    """Folder with Kafka's jars; the first call downloads them.

    Raises:
        BrokerError: no Maven, or it could not get the jars.
    """
    return fetch_jars(POM, cache / version())


def fetch_jars(pom: Path, jars: Path) -> Path:
    """Return the folder `jars` with what a POM lists; the first call downloads it.

    They appear under their final name only when all are there, so that an interrupted download
    leaves nothing that looks complete.

    Raises:
        BrokerError: There is no Maven, or it could not get the jars.
    """
    if jars.is_dir():
        return jars
    jars.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=jars.parent) as scratch:
        fetched = Path(scratch) / "jars"
        _copy_jars(pom, fetched)
        try:
            fetched.rename(jars)
        except OSError:
            if not jars.is_dir():  # else another process was quicker
                raise
    return jars


def _copy_jars(pom: Path, folder: Path) -> None:
    command = [tool("mvn"), "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
    command.append(f"-DoutputDirectory={folder}")
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BrokerError(f"Maven did not finish within {FETCH_SECONDS} s; try again") from error
    if done.returncode or not list(folder.glob("*.jar")):
        reason = _first_error(done.stdout + done.stderr)
        raise BrokerError(f"Maven could not fetch what {pom} lists: {reason}")


def _first_error(output: str) -> str:
    lines = (re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in output.splitlines())
    text = next((line for line in lines if "ERROR" in line), "it gave no reason")
    return text.removeprefix("[ERROR]").strip()[:300]


def tool(name: str) -> str:
    """Return the path of a program.

    Raises:
        BrokerError: It is not installed.
    """
    path = shutil.which(name)
    if path is None:
        raise BrokerError(f"{name} is not installed; Kafka needs Java 17 or newer, and Maven once")
    return path


_EXCEPTION = re.compile(r"(?:Exception in thread \S+ )?[\w.]+(?:Exception|Error): ")
_kept_ports: list[socket.socket] = []


def free_port() -> int:
    """A port of this machine's own interface that nothing listens on, and that no other call returns."""
    for port in random.sample(FREE_PORTS, 200):
        if keep_port(port):
            return port
    raise BrokerError(f"no free port from {FREE_PORTS.start} to {FREE_PORTS.stop - 1}")


def keep_port(port: int) -> bool:
    """Keep a port for a server to come, until this process ends; whether it was free.

    A bound socket that does not listen is in the way of all who look for a free port, also in other
    processes, and not of a server that may use an address again, as Java's and asyncio's do.
    """
    kept = socket.socket()
    try:
        kept.bind((HOST, port))
    except OSError:
        kept.close()
        return False
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _kept_ports.append(kept)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def answers(port: int) -> bool:
    """Whether a broker there answers a Metadata request, and counts itself as in service."""
    request = struct.pack(">hhihi", 3, 1, 7, -1, 0)  # Metadata v1, correlation 7, of no topics
    try:
        with socket.create_connection((HOST, port), timeout=5) as connection:
            connection.sendall(struct.pack(">i", len(request)) + request)
            with connection.makefile("rb") as reply:
                _, correlation, brokers = struct.unpack(">iii", reply.read(12))
    except (OSError, struct.error):
        return False
    return bool(correlation == 7 and brokers > 0)


class Broker:
    """One broker on one data folder; `start` after `stop` continues with the same data and ports."""

    def __init__(
        self,
        data: Path,
        port: int | None = None,
        cache: Path = CACHE,
        *,
        more_settings: str = "",
        scram_users: Sequence[str] = (),
        java_options: Sequence[str] = (),
        cluster_id: str | None = None,
    ) -> None:
        """Prepare without starting.

        Args:
            data: Folder of its data.
            port: Port for clients; None takes a free one.
            cache: Folder of Kafka's jars.
            more_settings: Lines that go before those of `server.properties`, and instead of lines
                there that begin with the same name.
            scram_users: Users that log in by SCRAM, as `StorageTool format --add-scram` wants them.
            java_options: Options of the Java machine, such as `-XX:TieredStopAtLevel=1`.
            cluster_id: What the brokers of a cluster share, see `new_cluster_id`; None makes one.
        """
        self._cluster_id = cluster_id or new_cluster_id()
        self._java_options = java_options
        self._more_settings = more_settings
        self._scram_users = scram_users
        self.data = data.resolve()
        self.port = port or free_port()
        self.controller_port = free_port()
        self._may_move = port is None
        self._cache = cache
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[bytes] | None = None

    @property
    def address(self) -> str:
        """What clients connect to, as HOST:PORT."""
        return f"{HOST}:{self.port}"

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            BrokerError: a port is taken, a tool is missing, or Kafka would not start.
        """
        if self.running:
            return
        try:
            self._start()
        except BrokerError as error:
            if not self._may_move or "already in use" not in str(error):
                raise
            self.port = free_port()  # somebody was quicker; no client knows the port yet
            self._start()
        self._may_move = False

    def _start(self) -> None:
        java = [tool("java"), f"-Xmx{HEAP}", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
        java += [*self._java_options, "-cp", f"{fetch(self._cache)}/*"]
        self._take_folder()
        try:
            self._check_ports()
            settings = self._write_settings()
            if not (self.data / "log" / "meta.properties").exists():
                self._format(java, settings)
            atexit.register(self.stop)
            self._process = spawn_tied([*java, "kafka.Kafka", str(settings)], self.data / LOG_FILE)
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Stop it in good order, or by force when that takes too long; no error if not running."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                pass
            finally:
                self.kill()

    def kill(self) -> None:
        """Stop it as a crash would."""
        atexit.unregister(self.stop)
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def wait(self) -> int:
        """Wait until its process ends; its exit code."""
        if self._process is None:
            return 0
        while (code := self._process.poll()) is None:
            time.sleep(0.2)
        return code

    def last_words(self) -> str:
        """Why it ended: the first error in its log, in one line."""
        log = self.data / LOG_FILE
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        if any("UnsupportedClassVersionError" in line for line in lines):
            return "Kafka needs Java 17 or newer"
        causes = [line for line in lines if _EXCEPTION.match(line)]
        causes += [line for line in lines if "ERROR" in line] or lines[-1:] or ["no reason given"]
        return f"{causes[0].strip()[:300]} (see {log})"

    def _take_folder(self) -> None:
        """Kafka itself looks only after it wrote there, which would harm a broker that runs."""
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            self._lock = (self.data / "owner.lock").open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.kill()
            raise BrokerError(f"another broker uses {self.data}; give another --data") from error
        except OSError as error:
            raise BrokerError(f"cannot write to {self.data}: {error.strerror}") from error

    def _check_ports(self) -> None:
        if not _is_free(self.port):
            raise BrokerError(
                f"port {self.port} is already in use; stop what listens there or use another"
            )
        if not _is_free(self.controller_port):
            self.controller_port = free_port()

    def _write_settings(self) -> Path:
        settings = self.data / "server.properties"
        template = Template((HERE / "server.properties").read_text(encoding="utf-8"))
        filled = template.substitute(
            port=self.port, controller_port=self.controller_port, data=self.data / "log"
        )
        more = Template(self._more_settings).substitute(
            port=self.port, controller_port=self.controller_port
        )
        names = {line.partition("=")[0] for line in more.splitlines()}
        kept = [line for line in filled.splitlines() if line.partition("=")[0] not in names]
        settings.write_text("\n".join([more, *kept, ""]), encoding="utf-8")
        return settings

    def _format(self, java: list[str], settings: Path) -> None:
        tool = ["kafka.tools.StorageTool", "format", f"--cluster-id={self._cluster_id}"]
        tool += [f"--add-scram={user}" for user in self._scram_users]
        with (self.data / LOG_FILE).open("wb") as log:
            done = subprocess.run(  # noqa: S603 - fixed arguments
                [*java, *tool, "--config", str(settings)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=False,
            )
        if done.returncode:
            raise BrokerError(f"cannot prepare {self.data}: {self.last_words()}")

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not answers(self.port):
            if not self.running:
                raise BrokerError(f"Kafka ended while starting: {self.last_words()}")
            if time.monotonic() > deadline:
                raise BrokerError(
                    f"Kafka did not answer within {START_SECONDS} s (see {self.data})"
                )
            time.sleep(0.05)


def new_cluster_id() -> str:
    """A name for a cluster, in the form that Kafka wants."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


def spawn_tied(command: list[str], log: Path) -> "subprocess.Popen[bytes]":
    """Start a program that dies with this process.

    The kernel ties it to the thread that started it, so that thread stays until the program ends.
    """
    started: Future[subprocess.Popen[bytes]] = Future()

    def run() -> None:
        tied = [sys.executable, "-I", str(HERE / "tied.py"), str(getpid()), *command]
        try:
            with log.open("wb") as output:
                process = subprocess.Popen(  # noqa: S603 - fixed arguments
                    tied,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,  # Ctrl-C is for the owner, who then stops it
                )
        except OSError as error:
            started.set_exception(error)
            return
        started.set_result(process)
        process.wait()

    threading.Thread(target=run, name="kafka-broker", daemon=True).start()
    return started.result()


def _on_sigterm(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run an Apache Kafka broker on this machine.")
    parser.add_argument("--port", type=int, default=9092, help="port for clients (%(default)s)")
    parser.add_argument("--data", type=Path, default=Path("out/kafka"), help="data (%(default)s)")
    arguments = parser.parse_args()
    if not 0 < arguments.port < 65536:
        parser.error("--port is a number from 1 to 65535")
    return arguments


def main() -> int:
    """Run a broker until Ctrl-C or SIGTERM; the exit code."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, _on_sigterm)
    broker = Broker(arguments.data, arguments.port)
    try:
        if not (CACHE / version()).is_dir():
            sys.stderr.write(f"Fetching Kafka {version()} (45 MB, only this once) ...\n")
        broker.start()
        sys.stdout.write(f"Kafka {version()} at {broker.address}; Ctrl-C stops it\n")
        sys.stdout.flush()
        broker.wait()
        raise BrokerError(f"Kafka ended by itself: {broker.last_words()}")  # noqa: TRY301
    except BrokerError as error:
        sys.stderr.write(f"kafka: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        broker.stop()


if __name__ == "__main__":
    sys.exit(main())
