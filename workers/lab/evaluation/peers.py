"""Other extractors, called as their users call them: decoded markup in, text out."""

from collections.abc import Callable
from importlib.metadata import version

from workers.errors import UsageProblem

Extract = Callable[[str], str]

PEERS = ("trafilatura", "resiliparse", "readability", "justext")
_PACKAGES = {"readability": "readability-lxml"}


def load_peer(name: str) -> Extract:
    """Return the main-content extraction of a peer.

    Raises:
        UsageProblem: The peer is not installed.
    """
    try:
        return _LOADERS[name]()
    except ModuleNotFoundError as error:
        raise UsageProblem(
            f"--peer {name} needs {error.name}; install templ-worker with its extra `peers`"
        ) from None


def peer_version(name: str) -> str:
    """Return the installed version of a peer."""
    return version(_PACKAGES.get(name, name))


def _trafilatura() -> Extract:
    from trafilatura import extract  # noqa: PLC0415 - an optional extra, as all of these

    return lambda markup: extract(markup, include_comments=False) or ""


def _resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return lambda markup: extract_plain_text(markup, main_content=True, alt_texts=False)


def _readability() -> Extract:
    from lxml import html  # noqa: PLC0415
    from readability import Document  # type: ignore[import-untyped]  # noqa: PLC0415 - no hints

    from templ_core.lab.evaluation.gold import visible_text  # noqa: PLC0415

    def extract(markup: str) -> str:
        summary = Document(markup).summary(html_partial=True)
        return visible_text(html.fromstring(summary)) if summary.strip() else ""

    return extract


def _justext() -> Extract:
    from justext import (  # type: ignore[import-untyped]  # noqa: PLC0415 - no type hints
        get_stoplist,
        justext,
    )

    stop_words = get_stoplist("English")

    def extract(markup: str) -> str:
        # These are the settings of scrapinghub's article-extraction benchmark; jusText scores
        # better with them than with its defaults.
        paragraphs = justext(markup, stop_words, 50, 200, 0.1, 0.2, 0.2)
        return "\n".join(one.text for one in paragraphs if not one.is_boilerplate)

    return extract


_LOADERS: dict[str, Callable[[], Extract]] = {
    "trafilatura": _trafilatura,
    "resiliparse": _resiliparse,
    "readability": _readability,
    "justext": _justext,
}
