"""A fork server, which saves tests the imports of the many Python processes that they start.

It is a process that has imported what commands and their children use, and forks for each
`python -m MODULE` that it is asked for. A fork has the arguments, the environment, the folder and the
files that its caller names, runs its module from the beginning, and has an exit code and signals as
every process has. Four things differ: the imports are done, the parent is the server, all forks have
one seed of hashes, and the interpreter is not taken apart at the end.
"""

import atexit
import fcntl
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from workers import child_program
from workers.cli.main import _COMMANDS
from workers.kafka import supervisor

ROOT = Path(__file__).parents[1]
MODULES = (
    *(target.partition(":")[0] for target in _COMMANDS.values()),
    "workers.crawl.reading",
    "workers.kafka.run_role",
    "workers.processes.child",
)
"""What the server imports: the commands, and what they import or start when they run."""
REQUEST_BYTES_MAX = 1 << 20


class ForkServer:
    """The server, which ends with the process that made it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="templ-forks-")
        self._address = f"{self._folder.name}/socket"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(self._address)
            listener.listen(100)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", self._address, str(listener.fileno())],
                cwd=ROOT,
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
            )

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def start(self, module, *arguments, environment, files):
        """Start a module; `files` has the number of each of its files, and the file here that it is.

        Without a file 0, standard input is empty.
        """
        return Fork(self._address, module, arguments, environment, files)

    @contextmanager
    def forking_children(self):
        """Have the server fork the children of this process, too, meanwhile."""
        with patch.object(child_program, "subprocess", forking(self._address)):
            yield

    def run(self, module, *arguments, environment, stdin=None, timeout_s=280):
        """Run a module to its end; return what `subprocess.run` does."""
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as errors,
        ):
            given.write(stdin or b"")
            given.seek(0)
            files = {0: given.fileno(), 1: out.fileno(), 2: errors.fileno()}
            process = self.start(module, *arguments, environment=environment, files=files)
            try:
                code = process.wait(timeout_s)
            finally:
                process.kill()
            out.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read(), errors.read())


class Fork:
    """A process that the server has forked, with the part of `subprocess.Popen` that its users need."""

    def __init__(self, address, module, arguments, environment, files):
        request = {
            "module": module,
            "arguments": list(map(str, arguments)),
            "environment": dict(environment),
            "folder": str(Path.cwd()),
            "numbers": list(files),
            "caller": os.getpid(),
        }
        self.args = [module, *arguments]
        self.returncode = None
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.connect(address)
        socket.send_fds(self._connection, [json.dumps(request).encode()], list(files.values()))
        self.pid = int(self._connection.recv(100))

    def wait(self, timeout=None):
        if self.returncode is None:
            self._connection.settimeout(timeout)
            try:
                self.returncode = int(self._connection.recv(100))
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired(self.args, timeout) from None
            self._connection.close()
        return self.returncode

    def poll(self):
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, signum):
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signum)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def forking(address):
    """Return what stands for the module `subprocess` where children are to be forked by the server."""

    def start(command, *, env, stdin, pass_fds=()):
        python, safe_path, dash_m, module, *arguments = command
        assert (python, safe_path, dash_m, stdin) == (
            sys.executable,
            "-P",
            "-m",
            subprocess.DEVNULL,
        )
        files = {number: number for number in (1, 2, *pass_fds)}
        return Fork(address, module, arguments, env, files)

    return SimpleNamespace(**{**vars(subprocess), "Popen": start})


def main():
    """Serve until the process that made the server has ended; in a fork, run what was asked for."""
    address, number = sys.argv[1:]
    child_program.subprocess = supervisor.subprocess = forking(address)
    for module in MODULES:
        import_module(module)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(number)) as listener:
        asked = serve(listener)
    if asked is not None:
        take_over(*asked)


def serve(listener):
    """Fork for each request; return its parts in the fork, and None when there will be no more."""
    running = {}
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    return None
                if key.fileobj is not listener:
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    end(running.pop(key.fd), running)
                    continue
                connection, _ = listener.accept()
                request, files, _, _ = socket.recv_fds(connection, REQUEST_BYTES_MAX, 100)
                process = SimpleNamespace(connection=connection, **json.loads(request))
                process.pid = os.fork()
                if process.pid == 0:
                    for ended, other in [*running.items()]:
                        os.close(ended)
                        other.connection.close()
                    connection.close()
                    return process, files
                for file in files:
                    os.close(file)
                connection.send(str(process.pid).encode())
                ended = os.pidfd_open(process.pid)
                running[ended] = process
                selector.register(ended, selectors.EVENT_READ)


def end(process, running):
    """Tell the caller with which code a process has ended, and end those that it has started."""
    _, status = os.waitpid(process.pid, 0)
    for child in running.values():
        if child.caller == process.pid:
            os.kill(child.pid, signal.SIGKILL)
    with process.connection, suppress(OSError):
        process.connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def take_over(asked, files):
    """Become what was asked for, run it, and end."""
    parked = [fcntl.fcntl(file, fcntl.F_DUPFD, max(asked.numbers) + 1) for file in files]
    for file in files:
        os.close(file)
    for number, file in zip(asked.numbers, parked, strict=True):
        os.dup2(file, number)
        os.close(file)
    if 0 not in asked.numbers:
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
    sys.stdin = os.fdopen(0, closefd=False)
    os.chdir(asked.folder)
    os.environ.clear()
    os.environ.update(asked.environment)
    # A process that gets its parent's id, to end with it, has the server as its parent.
    ids = {str(asked.caller): str(os.getppid())}
    sys.argv = [asked.module, *(ids.get(one, one) for one in asked.arguments)]
    sys.modules.pop(asked.module, None)
    code = 0
    try:
        runpy.run_module(asked.module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for file in (sys.stdout, sys.stderr):
        with suppress(ValueError, OSError):
            file.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
