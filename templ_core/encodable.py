"""Text that can be encoded: callers may pass lone surrogates, which UTF-8 does not have."""


def encodable(text: str) -> str:
    r"""Return a text with a question mark in place of each lone surrogate, as feeds have it.

    `json.loads` and file names bring such texts, and no text that leaves templ has one.

    >>> encodable("https://s.example/\ud800")
    'https://s.example/?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
