"""Other extractors, called as their users call them: decoded markup in, text out."""

import shlex
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import click
import msgspec

from workers.errors import UsageProblem

Extract = Callable[[str], str]

COMMAND_DEADLINE_S = 30.0
"""Longest time of an external program for one page, in seconds."""
_PACKAGES = {"trafilatura-precision": "trafilatura", "trafilatura-recall": "trafilatura"}


class CommandPeer(msgspec.Struct, frozen=True):
    """An external program that reads the markup in UTF-8 from standard input and writes the text."""

    name: str
    command: tuple[str, ...]

    @classmethod
    def of(cls, given: str) -> "CommandPeer":
        """Return the peer of NAME=COMMAND; quotes are those of a shell.

        >>> CommandPeer.of("upper=tr a-z A-Z")("a page")
        'A PAGE'

        Raises:
            UsageProblem: There is no name, no command, or an open quote.
        """
        name, _, command = given.partition("=")
        try:
            words = tuple(shlex.split(command))
        except ValueError:
            words = ()
        if not name or not words or name in _LOADERS:
            raise UsageProblem(
                f"--peer-command {given}: write NAME=COMMAND, with a name that no --peer has"
            )
        return cls(name, words)

    def __str__(self) -> str:
        return self.name

    def __call__(self, markup: str) -> str:
        """Return the text that the program extracts from a page.

        Raises:
            subprocess.SubprocessError: It failed, or took longer than `COMMAND_DEADLINE_S`.
        """
        done = subprocess.run(  # noqa: S603 - the caller's own command
            self.command,
            input=markup.encode("utf-8", "replace"),
            capture_output=True,
            check=True,
            timeout=COMMAND_DEADLINE_S,
        )
        return done.stdout.decode("utf-8", "replace")


Peer = str | CommandPeer
"""One of `PEERS`, or an external program."""


def load_peer(peer: Peer) -> Extract:
    """Return the main-content extraction of a peer.

    Raises:
        UsageProblem: The peer is not installed.
    """
    if isinstance(peer, CommandPeer):
        if shutil.which(peer.command[0]) is None:
            raise UsageProblem(f"there is no program {peer.command[0]}; install it")
        return peer
    try:
        return _LOADERS[peer]()
    except ModuleNotFoundError as error:
        raise UsageProblem(
            f"--peer {peer} needs {error.name}; install templ-worker with its extra `peers`"
        ) from None


def peer_version(peer: Peer) -> str:
    """Return the installed version of a peer, or the command of an external program."""
    if isinstance(peer, CommandPeer):
        return shlex.join(peer.command)
    return version(_PACKAGES.get(peer, peer))


def _trafilatura(*, precision: bool = False, recall: bool = False) -> Extract:
    from trafilatura import extract  # noqa: PLC0415 - an optional extra, as all of these

    return lambda markup: (
        extract(markup, include_comments=False, favor_precision=precision, favor_recall=recall)
        or ""
    )


def _resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return lambda markup: extract_plain_text(markup, main_content=True, alt_texts=False)


def _readability() -> Extract:
    from lxml import html  # noqa: PLC0415
    from readability import Document  # type: ignore[import-untyped]  # noqa: PLC0415 - no hints

    from templ_core.lab.evaluation.words import visible_text  # noqa: PLC0415

    def extract(markup: str) -> str:
        summary = Document(markup).summary(html_partial=True)
        return visible_text(html.fromstring(summary)) if summary.strip() else ""

    return extract


_LOADERS: dict[str, Callable[[], Extract]] = {
    "trafilatura": _trafilatura,
    "trafilatura-precision": partial(_trafilatura, precision=True),
    "trafilatura-recall": partial(_trafilatura, recall=True),
    "resiliparse": _resiliparse,
    "readability-lxml": _readability,
}
PEERS = tuple(_LOADERS)
peer_option = click.option(
    "--peer",
    "peers",
    multiple=True,
    type=click.Choice(PEERS),
    help="Also score another extractor; may be repeated. Needs the extra `peers`.",
)
