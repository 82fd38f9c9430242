"""Texts with wildcards, as rules of a site and robots.txt have them."""

from collections.abc import Sequence


def has_pieces(text: str, pieces: Sequence[str]) -> bool:
    """Return whether a text is the pieces in order, with any characters between them.

    It takes time proportional to the lengths of both, whatever the pieces are.

    >>> [has_pieces(text, ("/", ".php")) for text in ("/a.php", "/.php", "/a.php?b")]
    [True, True, False]

    Args:
        text: The text.
        pieces: What is between the wildcards of a pattern, at least one; without a wildcard, all of it.
    """
    first, *others = pieces
    if not others:
        return text == first
    *inner, last = others
    if not text.startswith(first):
        return False
    place = len(first)
    for piece in inner:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return len(text) - place >= len(last) and text.endswith(last)
