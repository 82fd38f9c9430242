"""Pages that a server sends instead of the one asked for; they are cleaned and teach nothing."""

import re

from templ_core.dom.document import Document

_FEW_WORDS = 120
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
    """Whether a page served as found says in its title that it is not.

    Args:
        document: The page.
        words: On the whole page.
    """
    return words < _FEW_WORDS and _ERROR_TITLE.search(document.title) is not None


def is_gate(document: Document, words: int) -> bool:
    """Whether a page stands before the one asked for: log-in, consent, captcha.

    Args:
        document: The page.
        words: On the whole page.
    """
    if words >= _FEW_WORDS:
        return False
    if _GATE_TITLE.search(document.title):
        return True
    return any(_GATE_TEXT.search(text) for text in document.segments.texts)
