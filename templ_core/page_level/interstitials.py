"""Pages that a server sends instead of the requested one, and beginnings of pages behind a paywall.

Both say what they are in a few fixed words: in the title, in a heading, or in a short text of a page that
says little else. They are cleaned, but nothing is learned about their site from what came instead of a page.
"""

import functools
import re
from collections.abc import Sequence

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom._tree import tag_bits
from templ_core.dom.document import Document
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

GATES = frozenset(("bot-wall", "consent-wall", "log-in"))
"""What stands in front of the requested page."""
INTERSTITIALS = GATES | {"error-page"}
"""What may come in place of the requested page."""
_WORDS_MAX = 120
"""Error pages, log-in pages and the like have fewer words than this."""
_KEPT_WORDS_MAX = 60
"""Where such a page has its site's template around it, fewer words than this are kept."""
_BEGINNING_WORDS_MAX = 250
"""Fewer words than this are kept of a page behind a paywall."""
_FORM_WORDS_MAX = 30
"""A form that asks for a password, or a challenge, is the whole page where there are fewer words than this."""
_HEADINGS = {"h1": 1, "h2": 1, "h3": 1}
_TEXT_CHARS_MAX = 300
"""Longer texts say nothing about the whole page."""
_PARTS = pattern(r"\s[|–—·«»-]\s|\||:\s")
"""What stands between the parts of a title."""


class _Phrases:
    """Phrases at the start of a text; `...` allows anything before a phrase. Others may follow an apology.

    A text without any of the stems, if there are some, says none of the phrases. Most pages need none of the
    patterns, so each is compiled when it is asked for first.
    """

    def __init__(self, *phrases: str, stems: Sequence[str] = ()) -> None:
        self._phrases, self._stems = phrases, stems

    @functools.cached_property
    def finder(self) -> Stems:
        return Stems(self._stems)

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        anywhere = [phrase[3:] for phrase in self._phrases if phrase.startswith("...")]
        starts = "|".join(phrase for phrase in self._phrases if not phrase.startswith("..."))
        apology = r"(?:(?:we(?:'|’)?re |we are )?sorry\W+|oops\W+|désolé\W+|lo sentimos\W+)?"
        at_start = [rf"^\W*{apology}(?:{starts})"] if starts else []
        return re.compile("|".join(at_start + anywhere), re.IGNORECASE)

    def are_in(self, texts: list[str]) -> bool:
        """Return whether a text that is not too long says one of them."""
        if self._stems:
            texts = [texts[number] for number in self.finder.found_in(texts)]
        return any(map(self.pattern.search, [one for one in texts if len(one) <= _TEXT_CHARS_MAX]))


_THING = (
    r"(?:(?:the|this|that|your) )?(?:requested )?(?:page|article|story|post|product|item|file|document|url"
    r"|topic|thread|content|resource)\b"
)
_ERROR = _Phrases(
    r"(?:http |fehler |erreur |errore? )+[45]\d\d\b|404\W*$",
    r"(?:40[0134]|410|429|50[0-4])\W+(?:error\W*$|page|not found|forbidden|internal|bad|service)",
    rf"{_THING}.{{0,60}}?\b(?:not (?:be )?found|n(?:o|'|’)t exist|no longer (?:exists?|available)"
    r"|(?:has|have) been (?:removed|deleted)|(?:not |un)available)",
    r"(?:we )?(?:can(?:no|'|’)t|could ?n(?:o|'|’)t) (?:seem to )?find (?:the|that|this|any|what)\b",
    r"it (?:seems|looks like) we can(?:no|'|’)t find|(?:not|nothing (?:was )?) ?found\W*$",
    r"no (?:results?|posts?|products?|articles?|pages?|items) (?:were |was )?found",
    r"access denied|access forbidden|internal server error|bad gateway|service (?:temporarily )?unavailable",
    r"something went wrong|an? (?:unexpected |internal )?error (?:has )?occurred|we(?:'|’| wi)ll be (?:right )?back",
    r"(?:(?:this|the|our) )?(?:web)?site is (?:currently |temporarily )?(?:down|under maintenance|unavailable)",
    r"(?:down for|under|scheduled) maintenance|wartungsarbeiten|(?:site )?en maintenance",
    r"(?:die(?:se)? |der |dieser )?(?:(?:an)?gesuchte |angeforderte )?(?:seite|artikel|inhalt)\b.{0,60}?"
    r"\b(?:nicht (?:gefunden|verfügbar|vorhanden|mehr)|existiert nicht)|nichts? gefunden|keine (?:ergebnisse|treffer)\b",
    r"(?:la |cette )?page\b.{0,60}?\b(?:introuvable|non trouvée|n(?:'|’)existe (?:pas|plus))|aucun résultat",
    r"(?:la |a )?página\b.{0,60}?\b(?:no|não) (?:(?:se|ha|foi|sido) )*(?:encontrad\w|existe)|no hay resultados",
    r"(?:la |de )?pagina\b.{0,60}?\b(?:non (?:è |stata )*trovata|non esiste|niet (?:gevonden|bestaat))",
    r"nessun risultato|niets gevonden|nie znaleziono|strona nie istnieje|sayfa bulunamadı|sivua ei löyt",
    r"страница не (?:найдена|существует)|ничего не найдено|sid(?:an|en) .{0,30}?(?:hitta|ikke|findes|finns inte)",
    r"(?:お探しの|ご指定の)?ページ[がは](?:見つかりません|存在しません)|(?:页面|頁面).{0,6}(?:不存在|找不到|未找到)",
)
_ERROR_ANYWHERE = _Phrases(
    r"...(?:\bpage not found|\b404 not found|seite nicht gefunden)\W*$",
    stems=("not found", "nicht gefunden"),
)
_BOT_WALL = _Phrases(
    r"just a moment|attention required|are you (?:a )?(?:human|robot)|robot or human|human verification|captcha\b",
    r"security (?:check|verification)|pardon our interruption|you have been blocked",
    r"access to this (?:page|site) has been (?:denied|blocked)",
    r"i(?:'|’)m not a robot|ich bin kein roboter|je ne suis pas un robot|no soy un robot|não sou um robô",
    r"non sono un robot|nie jestem robotem|я не робот|安全验证|人机验证|私はロボットではありません",
)
_BOT_WALL_ANYWHERE = _Phrases(
    r"...checking (?:your browser|if the site connection is secure)|complete the security check",
    r"...(?:verify(?:ing)?|confirm|prove) (?:that )?you(?: a|'|’)re (?:a human|human|not a (?:ro)?bot)",
    r"...enable (?:javascript and )?cookies to continue|enable js and disable any ad ?blocker|press (?:&|and) hold to confirm",
    r"...unusual (?:traffic|activity) (?:from|on) your",
    stems=(
        "checking", "security check", "verify", "confirm", "prove", "cookies to", "enable js", "unusual",
    ),
)  # fmt: skip
_CONSENT_WALL = _Phrases(
    r"before you continue|cookie ?(?:consent|wall)|consent\W*$|your privacy choices|we need your consent",
    r"we (?:value|care about|respect) your privacy|(?:accept|agree) (?:all )?(?:cookies )?(?:and|&) continue",
    r"(?:zustimmen|akzeptieren|einwilligen) (?:und|&) weiter|mit (?:werbung|cookies) (?:weiter|nutzen|lesen)",
    r"(?:wir benötigen |wir brauchen )?(?:ihre|deine) (?:zustimmung|einwilligung|privatsphäre)",
    r"accepter (?:et|&) continuer|continuer sans accepter|nous respectons votre vie privée",
    r"aceptar y continuar|aceitar e continuar|accetta e continua|continua senza accettare",
    r"akkoord en (?:doorgaan|verder)|przejdź do serwisu|godkänn och fortsätt|同意して続行|同意并继续",
)
_LOG_IN_HEADING = _Phrases(
    r"(?:please |member |customer |user )?(?:log ?-?in|sign ?-?in|log on)(?: (?:to|with|required|page|or)\b|\W*$)",
    r"authentication required",
    r"(?:anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|acceder|accedi|entrar|inloggen"
    r"|logga in|logg inn|log ind|zaloguj się|logowanie|вход|войти|ログイン|登录|登入|로그인)\W*$",
)
_LOG_IN = _Phrases(
    r"you (?:must|need to|have to) (?:be )?(?:log|sign|regist)(?!.{0,60}\b(?:post|comment|reply|vote|rate|write))",
    r"you are not logged in|(?:only|this \w+ is (?:only )?(?:for|available to)) registered (?:users|members)",
    r"(?:sie müssen|du musst) .{0,30}(?:angemeldet|einloggen|anmelden)(?!.{0,40}kommentar)",
    r"vous devez (?:être connecté|vous (?:connecter|identifier))(?!.{0,40}commentaire)",
)
_PAYWALL = _Phrases(
    rf"{_THING} is (?:only |exclusively )?(?:for|available (?:only )?(?:to|for)|exclusive to|reserved for)"
    r" (?:our |paid |paying |registered )*(?:subscribers|members)",
    r"to continue reading\b|subscribers? only\W*$|(?:jetzt )?weiter ?lesen mit\b",
    r"...(?:subscribe|sign up|register|log ?in|sign in)\b.{0,30}? (?:to|and) (?:continue|keep|finish) reading",
    r"...(?:subscribe|register|log ?in|sign in) (?:now )?to read (?:the (?:rest|full|whole)|this|more of this)",
    r"...you(?: ha|'|’)ve (?:reached|read) (?:all )?your .{0,30}(?:free|limit)",
    r"...(?:dieser|de[rn] ganzen?) (?:artikel|beitrag|text)\b.{0,40}\b(?:abonnent|abo\b|freischalten)",
    r"...(?:nur|exklusiv) für abonnent|réservée?s? (?:aux|à nos) abonné|il (?:vous )?reste .{0,20} à lire",
    r"...(?:exclusivo|solo) para suscriptores|suscríbe\w* para (?:seguir|continuar|leer)",
    r"...riservat\w agli abbonati|abbonati per (?:continuare|leggere)|exclusivo para assinantes|assine para (?:continuar|ler)",
    r"...(?:alleen|exclusief) voor abonnees|dla (?:prenumerator|subskrybent)|endast för prenumerant",
    r"...(?:kun|forbeholdt) (?:for )?abonnent|только для подписчик|会員限定(?:記事)?です|残り ?\d+ ?文字",
    stems=(
        "subscri", "continue reading", "keep reading", "finish reading", "to read ", "members", "have re", "ve re",
        "abo ", "abon", "abbon", "freischalten", "weiterlesen", "weiter lesen", "à lire", "suscri", "assina",
        "assine", "prenumer", "одписч", "会員限定", "残り",
    ),
)  # fmt: skip
_SCRIPTS = _Phrases(
    r"loading\W*$|(?:please )?wait\b.{0,30}$|(?:wird )?geladen|chargement|cargando|caricamento|carregando",
    r"...(?:enable|activate|turn on|allow|requires?|needs?|without|have) (?:java ?script|js)\b|java ?script (?:is|to be|must be) ",
    stems=(
        "loading", "wait", "geladen", "chargement", "cargando", "caricamento", "carregando", "java", " js",
    ),
)  # fmt: skip
_PASSWORD = pattern(r"passw|\bpwd|user_?pass|kennwort", re.IGNORECASE)
_CHALLENGE = pattern(
    r"px-captcha|captcha-delivery|cf-(?:challenge|browser)|challenge-(?:form|running)"
)
"""How elements of pages are named that stop robots."""


def stands_for_page(document: Document, words: int) -> str | None:
    """Return what was sent instead of a page, judging by the whole page; None = nothing.

    Args:
        document: The page.
        words: Number of words of the whole page.

    Returns:
        `error-page`, `bot-wall`, `consent-wall` or `log-in`.

    >>> from templ_core.dom.document import parse_document
    >>> stands_for_page(parse_document("<title>Log in</title><p>User name", ""), 2)
    'log-in'
    >>> stands_for_page(parse_document("<p>Sorry, this page does not exist.", ""), 6)
    'error-page'
    """
    if words >= _WORDS_MAX:
        return None
    headings = [document.title, *_PARTS.split(document.title), *_headings(document)]
    name = _named(headings, headings, document.segments.texts)
    return _named_by_form(document) if name is None and words < _FORM_WORDS_MAX else name


def missing_name(document: Document, kept: Bools, words: int, kept_words: int) -> str | None:
    """Return what is missing of a page and why, judging also by what is kept of it; None = nothing.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        words: Number of words of the whole page.
        kept_words: Number of words that stay.

    Returns:
        What `stands_for_page` returns, or `paywall`.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<p>The council met.<p>Subscribe to continue reading", "")
    >>> missing_name(page, np.array([True, False]), 7, 3)
    'paywall'
    """
    name = stands_for_page(document, words)
    if name is None and words >= _WORDS_MAX and kept_words < _KEPT_WORDS_MAX:
        title = [document.title, *_PARTS.split(document.title)]
        texts = document.segments.texts
        stays = [texts[number] for number in kept.nonzero()[0].tolist()]
        name = _named(title, [*title, *_headings(document)], stays)
    if (
        name is None
        and kept_words < _BEGINNING_WORDS_MAX
        and _PAYWALL.are_in(document.segments.texts)
    ):
        return "paywall"
    return name


def name_in(document: Document, texts: list[str]) -> str | None:
    """Return what some texts of a page, its title or its form say that is missing, however long the page is.

    Args:
        document: The page.
        texts: Those of its texts that other pages of its site do not have.
    """
    title = [document.title, *_PARTS.split(document.title)]
    name = _named(title, title, texts) or ("paywall" if _PAYWALL.are_in(texts) else None)
    return name or _named_by_form(document)


def says_scripts_are_needed(texts: list[str]) -> bool:
    """Return whether a text says that scripts are needed, or that something is loaded."""
    return _SCRIPTS.are_in(texts)


def _named(log_in: list[str], headings: list[str], texts: list[str]) -> str | None:
    for name, *kinds in (
        ("error-page", _ERROR, _ERROR_ANYWHERE),
        ("bot-wall", _BOT_WALL, _BOT_WALL_ANYWHERE),
        ("consent-wall", _CONSENT_WALL),
        ("log-in", _LOG_IN),
    ):
        if any(phrases.are_in(headings) or phrases.are_in(texts) for phrases in kinds):
            return name
    return "log-in" if _LOG_IN_HEADING.are_in(log_in) else None


def _named_by_form(document: Document) -> str | None:
    types = document.nodes.element_types
    if any(_CHALLENGE.search(attributes) for _, attributes in types):
        return "bot-wall"
    fields = [
        number
        for number, (tag, attributes) in enumerate(types)
        if tag == "input" and _PASSWORD.search(attributes)
    ]
    nodes = np.isin(document.nodes.element_type, fields).nonzero()[0] if fields else ()
    return "log-in" if any(_is_shown(document, int(node)) for node in nodes) else None


def _is_shown(document: Document, node: int) -> bool:
    while node >= 0:
        if document.nodes.hidden[node]:
            return False
        node = int(document.nodes.parent[node])
    return True


def _headings(document: Document) -> list[str]:
    nodes, segments = document.nodes, document.segments
    is_heading = tag_bits(nodes.element_types, _HEADINGS)[nodes.element_type[segments.owner]]
    return [segments.texts[number] for number in is_heading.nonzero()[0].tolist()]
