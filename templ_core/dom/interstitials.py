"""Pages that a server sends instead of the requested one.

They are cleaned, but nothing is learned from them about their site.
"""

import re

from templ_core.dom.document import Document

_WORDS_MAX = 120
"""Error pages, log-in pages and the like have fewer words than this."""
_ERROR_TITLE = re.compile(
    r"^\W*(?:nothing (?:was )?found|no results(?: were)? found)\W*(?:$|[|–—-])|\b(?:404|page not found|not found|403 forbidden|access denied|500 internal|bad gateway|"
    r"service unavailable|seite nicht gefunden|page introuvable|página no encontrada|"
    r"pagina non trovata|страница не найдена)\b",
    re.IGNORECASE,
)
_GATE_TITLES = {
    name: re.compile(rf"^\W*(?:{words})(?:$|\W)", re.IGNORECASE)
    for name, words in (
        ("bot-wall", ("just a moment|attention required|are you (?:a )?(?:human|robot)|robot or human|"
         "security check|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|captcha")),
        ("consent-wall", "before you continue|cookie consent|consent|your privacy choices"),
        ("log-in", ("log ?in|sign ?in|log ?on|please log ?in|authentication required|member login|"
         "anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|acceder|accedi|"
         "вход|ログイン|登录|登入")),
    )
}  # fmt: skip
_GATE_TEXTS = {
    "bot-wall": re.compile(
        r"checking your browser|verify (?:that )?you are (?:a )?human|complete the security check|"
        r"enable (?:javascript and )?cookies to continue|unusual traffic from your|g-recaptcha|"
        r"prove (?:that )?you(?: are|'re) (?:not a robot|human)",
        re.IGNORECASE,
    ),
    "consent-wall": re.compile(r"before you continue to", re.IGNORECASE),
}


def is_error_page(document: Document, words: int) -> bool:
    """Return whether a page that was served like any other is an error page by its title.

    Args:
        document: The page.
        words: Number of words of the whole page.

    >>> from templ_core.dom.document import parse_document
    >>> is_error_page(parse_document("<title>404 Not Found</title><p>Sorry.", ""), 4)
    True
    """
    return words < _WORDS_MAX and _ERROR_TITLE.search(document.title) is not None


def gate_name(document: Document, words: int) -> str | None:
    """Return what stands in front of the requested page: `bot-wall`, `consent-wall` or `log-in`; None = nothing.

    Args:
        document: The page.
        words: Number of words of the whole page.

    >>> from templ_core.dom.document import parse_document
    >>> gate_name(parse_document("<title>Log in</title><p>User name", ""), 2)
    'log-in'
    """
    if words >= _WORDS_MAX:
        return None
    for name, of_title in _GATE_TITLES.items():
        if of_title.search(document.title):
            return name
    for name, of_text in _GATE_TEXTS.items():
        if any(of_text.search(text) for text in document.segments.texts):
            return name
    return None


def is_gate(document: Document, words: int) -> bool:
    """Return whether a page stands in front of the requested one, see `gate_name`."""
    return gate_name(document, words) is not None
