"""Text that a site has begun to repeat since its model was fitted, which asks for a new one."""

from collections.abc import Sequence

from templ_core.site_level.config import REVISIONS_CONFIG, STRINGS_CONFIG
from templ_core.site_level.window._new_text import recurring, without


def latest_new_runs(before: Sequence[bytes], newest: bytes) -> list[bytes]:
    """Return the new runs of the newest documents, the oldest first, after one more has come.

    Args:
        before: What this function or `after_fit` returned before that document; empty at first.
        newest: The new runs of that document.
    """
    return [*before, newest][-REVISIONS_CONFIG.settled_documents :]


def begins_to_repeat(latest: Sequence[bytes]) -> bool:
    """Return whether enough of the newest documents share a run that the site's model does not know.

    >>> begins_to_repeat([b"aabb", b"aa", b"bbcc", b"aa", b"aa"]), begins_to_repeat([b"aacc"] * 5)
    (False, True)

    Args:
        latest: The new runs of the newest documents, as `latest_new_runs` returns them.
    """
    return recurring(latest, STRINGS_CONFIG.newest_pages_min) != b""


def after_fit(latest: Sequence[bytes]) -> list[bytes]:
    """Return the new runs of the newest documents without those that a fit has learned.

    >>> after_fit([b"aacc", b"aa", b"aa", b"aa", b"aabb"])
    [b'cc', b'', b'', b'', b'bb']
    """
    learned = recurring(latest, STRINGS_CONFIG.newest_pages_min)
    return [without(runs, learned) for runs in latest]
