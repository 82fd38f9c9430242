"""Check the image without a container engine: run the Dockerfile's steps, and send pages through.

    python -m tests.deploy.image_check        (as root; or `make image-check`)

The base image is replaced by a Debian of `debootstrap` with its own Python. The worker runs as a container
engine would run it: as the image's user, as process 1, without rights, on a root file system that is
read-only but for /tmp and the volume. A real Kafka broker (`deploy/kafka`) is beside it. Needs Linux, root,
`debootstrap`, Java, Maven and a package index, and takes some minutes.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.deploy.container import Container
from tests.deploy.dockerfile import pairs, read_steps
from tests.kafka.broker import runner
from workers.lab.simulate.feed import FeedSettings, simulate_feed

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "image" / "Dockerfile"
CACHE = ROOT / ".cache" / "image"
RELEASE = "bookworm"
PACKAGES = "python3,python3-venv,python3-dev,ca-certificates"
"""What the base image has and the smallest Debian has not."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What container engines set."""
PAGES = 60
WAIT_S = 180.0


def base_root() -> Path:
    """Return a Debian with Python that stands for the base image; the first call makes it."""
    base = CACHE / RELEASE
    if not base.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            made = Path(scratch) / RELEASE
            command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", RELEASE, made]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"debootstrap ended with {done.returncode}:\n{done.stdout[-2000:]}")
            made.rename(base)
    return base


def build(directory: Path) -> Container:
    """Carry out the steps of the Dockerfile, and return the last stage."""
    stages: dict[str, Container] = {}
    for step in read_steps(DOCKERFILE):
        if step.instruction == "FROM":
            name = step.words[-1]
            image = Container(directory / name, {"PATH": PATH, "HOME": "/root"})
            subprocess.run(["cp", "-a", "--reflink=auto", base_root(), image.root], check=True)
            stages[name] = image
        if not stages:
            continue  # an argument before the first stage, which names the base image
        print(f"{name}: {step.instruction} {step.value[:80]}", flush=True)
        match step.instruction:
            case "RUN":
                image.build(step.value)
            case "COPY":
                source = stages[step.flags["from"]].root if "from" in step.flags else ROOT
                copy(source, step.words, image)
            case "WORKDIR":
                image.directory = step.value
                (image.root / step.value.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "ENV":
                image.environment.update(pairs(step.value))
            case "USER":
                image.user = step.value
            case "VOLUME":
                image.volume = step.value
            case "ENTRYPOINT":
                image.entry_point = step.words
            case "CMD":
                image.arguments = step.words
            case "HEALTHCHECK":
                command = step.value.partition("CMD")[2]
                image.health_check = msgspec.json.decode(command, type=list[str])
            case "FROM" | "ARG" | "LABEL" | "EXPOSE" | "STOPSIGNAL":
                pass
            case unknown:
                sys.exit(f"this check does not know the instruction {unknown}")
    return image


def copy(source: Path, words: list[str], image: Container) -> None:
    """Copy what COPY names, without what `.dockerignore` leaves out in every directory."""
    ignored = (ROOT / ".dockerignore").read_text().split()
    ignore = shutil.ignore_patterns(*(one[3:] for one in ignored if one.startswith("**/")))
    target = image.root / Path(image.directory, words[-1]).as_posix().lstrip("/")
    for word in words[:-1]:
        path = source / word.lstrip("/")
        if path.is_dir():
            ignore_here = ignore if source == ROOT else None
            shutil.copytree(path, target, symlinks=True, ignore=ignore_here, dirs_exist_ok=True)
        else:
            shutil.copy(path, target)


class Worker:
    """The containers of a worker, and the commands that are run beside them."""

    def __init__(self, image: Container, broker: str, directory: Path) -> None:
        self.image = image
        self.state = directory / "state"
        self.state.mkdir()
        self.user, group = (int(one) for one in image.user.split(":"))
        os.chown(self.state, self.user, group)
        self._variables = {"TEMPL_BROKER": broker, "TEMPL_METRICS_PORT": str(runner.free_port())}
        self._binds = {str(self.state): image.volume, str(directory / "input"): "/input"}
        self._processes: list[subprocess.Popen[str]] = []

    def run(self, *command: str, expect: int | None = 0) -> str:
        """Run a command in the image, and return what it printed."""
        return self.image.run(command, self._variables, self._binds, expect)

    def templ(self, *arguments: str) -> str:
        """Run a command of templ, and return what it printed."""
        return self.run(*self.image.entry_point, *arguments)

    def start(self, *more: str) -> None:
        """Start a container with the image's own arguments, and more."""
        command = [*self.image.entry_point, *self.image.arguments, *more]
        self._processes.append(self.image.start(command, self._variables, self._binds))

    def wait_until_healthy(self) -> None:
        """Wait until the image's health check succeeds."""
        self._wait_for(lambda: self.run(*self.image.health_check, expect=None) == "")

    def wait_for_texts(self, texts: int) -> None:
        """Wait until the topic `cleaned` has so many texts."""
        broker = self._variables["TEMPL_BROKER"]
        index = ("index", "--index", "/tmp/index.db", "--broker", broker)
        self._wait_for(lambda: f"{texts} texts written" in self.templ(*index))

    def stop(self) -> None:
        """Stop its containers as an engine does; the check ends where one does not end well."""
        self._signal(signal.SIGTERM)
        for process in self._processes:
            printed, _ = process.communicate(timeout=60)
            if process.returncode:
                sys.exit(f"a container ended with {process.returncode}:\n{printed}")
        self._processes.clear()

    def kill(self) -> None:
        """End the containers that are left."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        """Send a signal to process 1 of each container."""
        for process in self._processes:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            if children.exists():
                for child in children.read_text().split():
                    os.kill(int(child), number)

    def _wait_for(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + WAIT_S
        while not condition():
            ended = [one for one in self._processes if one.poll() is not None]
            if ended or time.monotonic() > until:
                self.kill()
                printed = "".join(one.communicate()[0] for one in self._processes)
                sys.exit(f"the worker did not do its work:\n{printed}")
            time.sleep(0.5)


def use(image: Container, broker: str, directory: Path) -> None:
    """Send pages through workers in the image, and look at how they run and stop."""
    settings = FeedSettings(genre="news", sites=2, pages=PAGES, languages=("en",))
    lines = [msgspec.json.encode(page.record()) for page in simulate_feed(settings)]
    (directory / "input").mkdir()
    (directory / "input" / "pages.jsonl").write_bytes(b"\n".join(lines))
    worker = Worker(image, broker, directory)
    assert worker.run("id", "-u").strip() == str(worker.user)
    refused = worker.run("touch", "/opt/templ/new", expect=1)
    assert "Read-only file system" in refused, refused
    worker.templ("topics", "create", "--partitions", "2")
    try:
        worker.start()
        worker.wait_until_healthy()
        worker.templ("feed", "/input/pages.jsonl")
        worker.wait_for_texts(PAGES)
        worker.stop()
        worker.run(*image.health_check, expect=1)
        print(
            f"{PAGES} pages cleaned by user {worker.user} on a read-only root; stopped by SIGTERM"
        )
        for role in ("cleaner", "refresher"):  # two containers share a volume, as in the chart
            worker.start("--role", role)
        worker.wait_until_healthy()
        worker.templ("feed", "/input/pages.jsonl")
        worker.wait_for_texts(2 * PAGES)
        worker.stop()
        print(f"{PAGES} more by a cleaner and a refresher in containers of their own")
    finally:
        worker.kill()
    owners = {one.stat().st_uid for one in worker.state.rglob("*")}
    assert owners == {worker.user}, owners


def main() -> None:
    """Build the image and use it."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("image-check needs root and debootstrap (apt-get install debootstrap)")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="templ-image-") as name:
        directory = Path(name)
        image = build(directory)
        broker = runner.Broker(directory / "kafka")
        broker.start()
        try:
            use(image, broker.address, directory)
        finally:
            broker.stop()


if __name__ == "__main__":
    main()
