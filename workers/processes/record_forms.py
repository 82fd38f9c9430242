"""Which fields a cleaned record has besides the plain text."""

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:  # A child process has no settings, and reading their module takes it 0.1 s.
    from workers.settings import Settings


class RecordForms(msgspec.Struct, frozen=True, array_like=True):
    """Which fields a record has besides those that every record has."""

    metadata: bool = True
    markdown: bool = False
    html: bool = False
    links: bool = False
    segments: bool = False

    @property
    def needs_marks(self) -> bool:
        """Whether links, images and emphasis must be marked while a page is parsed."""
        return self.markdown or self.html or self.links


def forms_of(settings: "Settings", *, with_segments: bool = False) -> RecordForms:
    """Return the fields that the settings ask for.

    Args:
        settings: The settings.
        with_segments: Whether records carry their text segments, whatever the settings say.
    """
    return RecordForms(
        metadata=settings.metadata,
        markdown="markdown" in settings.text_forms,
        html="html" in settings.text_forms,
        links=settings.links,
        segments=settings.segments or with_segments,
    )
