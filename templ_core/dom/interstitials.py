"""Pages that a server sends instead of the requested one.

They are cleaned, but nothing is learned from them about their site.
"""

import re

from templ_core.dom.config import InterstitialConfig
from templ_core.dom.document import Document

_CONFIG = InterstitialConfig()
_ERROR_TITLE = re.compile(
    r"\b(?:404|page not found|not found|403 forbidden|access denied|500 internal|bad gateway|"
    r"service unavailable|seite nicht gefunden|page introuvable|página no encontrada|"
    r"pagina non trovata|страница не найдена)\b",
    re.IGNORECASE,
)
_GATE_TITLE = re.compile(
    r"^\W*(?:just a moment|attention required|are you (?:a )?(?:human|robot)|robot or human|"
    r"security check|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|captcha|"
    r"before you continue|cookie consent|consent|your privacy choices|"
    r"log ?in|sign ?in|log ?on|please log ?in|authentication required|member login|"
    r"anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|acceder|accedi|"
    r"вход|ログイン|登录|登入)(?:$|\W)",
    re.IGNORECASE,
)
_GATE_TEXT = re.compile(
    r"checking your browser|verify (?:that )?you are (?:a )?human|complete the security check|"
    r"enable (?:javascript and )?cookies to continue|unusual traffic from your|g-recaptcha|"
    r"before you continue to|prove (?:that )?you(?: are|'re) (?:not a robot|human)",
    re.IGNORECASE,
)


def is_error_page(document: Document, words: int) -> bool:
    """Return whether a page that was served like any other is an error page by its title.

    Args:
        document: The page.
        words: Number of words of the whole page.

    >>> from templ_core.dom.document import parse_document
    >>> is_error_page(parse_document("<title>404 Not Found</title><p>Sorry.", ""), 4)
    True
    """
    return words < _CONFIG.words_max and _ERROR_TITLE.search(document.title) is not None


def is_gate(document: Document, words: int) -> bool:
    """Return whether a page stands in front of the requested one: log-in, consent or captcha.

    Args:
        document: The page.
        words: Number of words of the whole page.

    >>> from templ_core.dom.document import parse_document
    >>> is_gate(parse_document("<title>Log in</title><p>User name", ""), 2)
    True
    """
    if words >= _CONFIG.words_max:
        return False
    if _GATE_TITLE.search(document.title):
        return True
    return any(_GATE_TEXT.search(text) for text in document.segments.texts)
