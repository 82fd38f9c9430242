"""Running commands in a root file system as a container engine does, with `unshare` and `chroot`."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

HOST_FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs")
"""Files by which this machine reaches the network and package indexes."""
HOST_VARIABLES = re.compile(r"(PIP|UV|SSL_CERT)_\w+|\w+_proxy", re.IGNORECASE)
"""Variables with the same purpose."""
_MOUNT_AND_ENTER = """
set -e
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount -t tmpfs tmpfs "$ROOT/tmp"
printf '%s' "$BINDS" | while read -r from to; do mount --bind "$from" "$ROOT$to"; done
[ -z "$READ_ONLY" ] || mount -o remount,bind,ro "$ROOT"
exec chroot "$ROOT" "$@"
"""


class Container(msgspec.Struct):
    """A root file system, and what the Dockerfile says about the processes in it."""

    root: Path
    environment: dict[str, str]
    directory: str = "/"
    user: str = ""
    """Numbers of user and group, as `1:1`."""
    entry_point: list[str] = []
    arguments: list[str] = []
    health_check: list[str] = []
    volume: str = ""

    def build(self, command: str) -> None:
        """Run a shell command as RUN does: as root, on a writable root, with this machine's network."""
        host = {name: value for name, value in os.environ.items() if HOST_VARIABLES.fullmatch(name)}
        binds = {one: one for one in HOST_FILES if Path(one).exists()}
        process = self._start(
            ["sh", "-c", command], self.environment | host, binds, read_only=False
        )
        _wait(process, command, expect=0)

    def start(
        self, command: Sequence[str], variables: Mapping[str, str], binds: Mapping[str, str]
    ) -> "subprocess.Popen[str]":
        """Start a command as the image's user, without rights, on a root that is read-only but for /tmp.

        Args:
            command: Program and arguments.
            variables: Variables besides those of the image.
            binds: Directories of this machine that are mounted, and where.
        """
        user, _, group = self.user.partition(":")
        rights = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]
        rights += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        environment = {**self.environment, **variables}
        return self._start(command, environment, binds, read_only=True, rights=rights)

    def run(
        self,
        command: Sequence[str],
        variables: Mapping[str, str],
        binds: Mapping[str, str],
        expect: int | None = 0,
    ) -> str:
        """Run a command like `start`, and return what it printed.

        Args:
            command: Program and arguments.
            variables: Variables besides those of the image.
            binds: Directories of this machine that are mounted, and where.
            expect: The exit code without which the whole check ends; None for any.
        """
        return _wait(self.start(command, variables, binds), shlex.join(command), expect)

    def _start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        binds: Mapping[str, str],
        *,
        read_only: bool,
        rights: Sequence[str] = (),
    ) -> "subprocess.Popen[str]":
        for here, there in binds.items():
            target = self.root / there.lstrip("/")
            if Path(here).is_dir():
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.touch()
        enter = ["unshare", "--mount", "--pid", "--fork"]
        enter += ["sh", "-c", _MOUNT_AND_ENTER, "sh", *rights]
        enter += ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
        enter += ["sh", "-c", f'cd {shlex.quote(self.directory)} && exec "$@"', "sh"]
        return subprocess.Popen(
            [*enter, *command],
            env={
                "PATH": os.environ["PATH"],
                "ROOT": str(self.root),
                "BINDS": "".join(f"{here} {there}\n" for here, there in binds.items()),
                "READ_ONLY": "yes" if read_only else "",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def _wait(process: "subprocess.Popen[str]", shown: str, expect: int | None) -> str:
    printed, _ = process.communicate()
    if expect is not None and process.returncode != expect:
        sys.exit(f"{shown} ended with {process.returncode}:\n{printed}")
    return printed
