"""Telling a feed that is wrong as a whole from single pages that cannot be cleaned."""

from collections import deque

from workers.settings import Settings


class DeadLetterLimit:
    """Counts dead letters among the latest pages, and says when there are too many of them."""

    def __init__(self, settings: Settings) -> None:
        """Begin before the first page; see `Settings.dead_letters_run_max` and the settings after it."""
        self._run_max = settings.dead_letters_run_max
        self._ratio_max = settings.dead_letters_ratio_max
        self._run = 0
        self._latest: deque[bool] = deque(maxlen=settings.dead_letters_ratio_pages)
        self._dead = 0

    def exceeded_by(self, *, is_dead: bool) -> str | None:
        """Count one more page; say in words how many dead letters exceed which setting, or return None within limits."""
        self._run = self._run + 1 if is_dead else 0
        if len(self._latest) == self._latest.maxlen:
            self._dead -= self._latest[0]
        self._latest.append(is_dead)
        self._dead += is_dead
        if not is_dead:
            return None
        if 0 < self._run_max <= self._run:
            return f"{self._run} pages in a row are dead letters (TEMPL_DEAD_LETTERS_RUN_MAX)"
        pages = len(self._latest)
        if pages == self._latest.maxlen and self._dead > self._ratio_max * pages:
            return (
                f"{self._dead} of the latest {pages} pages are dead letters "
                "(TEMPL_DEAD_LETTERS_RATIO_MAX)"
            )
        return None
