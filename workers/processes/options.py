"""What a deployment decides about the cleaning of its pages, in the form that child processes receive."""

from typing import TYPE_CHECKING

import msgspec

from templ_core.cleaner_version import cleaner_version
from templ_core.config import CoreConfig

if TYPE_CHECKING:  # A child process has no settings, and reading their module takes it 0.1 s.
    from workers.settings import Settings

ENVELOPE_BYTES = 16 << 10
"""Room that a message keeps for its key, its headers and the fields beside its large one."""
CONFIG = CoreConfig()
"""The configuration without the choices of settings."""


def config_of(settings: "Settings") -> CoreConfig:
    """Return the core's configuration with a deployment's choices about comments, the balance, quality and records."""
    return msgspec.structs.replace(
        CONFIG,
        comments=settings.comments,
        balance=settings.balance,
        quality=settings.quality,
        records=settings.records,
    )


class RecordForms(msgspec.Struct, frozen=True, array_like=True):
    """The optional fields that a record has, named as in the settings."""

    metadata: bool = True
    text_forms: frozenset[str] = frozenset()
    links: bool = False
    segments: bool = False
    chunks: bool = False
    observed: bool = False

    @property
    def needs_marks(self) -> bool:
        """Whether links, images and emphasis must be marked while a page is parsed."""
        return bool(self.text_forms) or self.links or self.chunks


def forms_of(settings: "Settings") -> RecordForms:
    """Return the fields that the settings ask for."""
    return RecordForms(*(getattr(settings, name) for name in RecordForms.__struct_fields__))


class CleanOptions(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """What is equal for all pages of a deployment."""

    config: CoreConfig
    """What the deployment chooses for the core."""
    forms: RecordForms
    """The fields that records are to have."""
    cleaner_version: str
    page_limit_bytes: int
    """Largest page after decompression."""
    document_limit_bytes: int
    """Largest document record in MessagePack; a larger one is not learned."""
    record_limit_bytes: int | None = None
    """Largest cleaned record in JSON; None = any size."""
    learns_here: bool = False
    """Whether the process that cleans pages fits the models of their sites as well."""


def options_of(
    settings: "Settings", *, fits_messages: bool = False, learns_here: bool = False
) -> CleanOptions:
    """Return what is equal for all pages of a deployment.

    Args:
        settings: Its settings.
        fits_messages: Whether what is published is made to fit a message.
        learns_here: Whether the process that cleans pages fits the models of their sites as well.
    """
    config, room_bytes = config_of(settings), settings.message_limit_bytes - ENVELOPE_BYTES
    return CleanOptions(
        config=config,
        forms=forms_of(settings),
        cleaner_version=cleaner_version(config),
        page_limit_bytes=settings.page_limit_bytes,
        learns_here=learns_here,
        document_limit_bytes=room_bytes,
        record_limit_bytes=room_bytes if fits_messages else None,
    )
