"""What is told of a site whose design has changed."""

import msgspec


class DesignChange(msgspec.Struct, frozen=True, array_like=True):
    """A change of a site's design."""

    place: int
    """Index in the window of the first page after the old design."""
    documents: int
    """Documents of the site model that came before that page."""
