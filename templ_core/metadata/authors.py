"""Names of authors, taken apart and checked."""

import re
from collections.abc import Iterable
from operator import methodcaller
from typing import Literal

from templ_core.metadata._scans import letters_of
from templ_core.metadata.dates import without_days, without_month
from templ_core.patterns import pattern

NameForm = Literal["byline", "library", "citation"]
_NAMES_MAX = 10
_WORDS_MAX = 7
_CHARS_MAX = 80
_BEFORE = pattern(
    r"^(?:(?:written|posted|published|story|words|photos?|text|edited|reported)\s+)?(?:by|von|par|por|de la redacción de|da|door|av|af|"
    r"autor(?:in|es)?|author|auteur|autore|автор|текст|od|przez|skrevet av)\b\s*:?\s*"
    r"|^(?:文|記者|记者|作者|取材)\s*[:：/／]\s*",
    re.IGNORECASE,
)
_BEHIND = pattern(
    r"\s*(?:[|•·–—]\s.*|\s-\s.*|\(.*|\b(?:on|am|le|el|il|updated|published|posted)\s+\w*\s*\d.*"
    r"|,?\s+(?:special to|staff writer|staff reporter|redakteur(?:in)?|associated press writer|correspondent|editor)\b.*)$",
    re.IGNORECASE,
)
_BETWEEN = pattern(
    r"\s*(?:[;|]|\s/\s|\band\b|\bund\b|\bog\b|\bet\b|\by\b(?=\s+[A-ZÀ-Þ]\S*\s+[A-ZÀ-Þ])|\s&\s|、|，)\s*"
)
_BAD_TEXT = pattern(r"://|^\s*(?:www\.|@)", re.IGNORECASE)
_BAD = pattern(
    r"https?:|www\.|\be-?mail\b|@|\d{5,}|\d:\d\d|^\d|\s\d|[*{}<>\[\]=_]",
    re.IGNORECASE,
)
_DOMAIN = pattern(
    r"\w\.(?:com|org|net|info|co|eu|de|fr|it|es|pl|nl|se|uk|ru|jp|cn)\b", re.IGNORECASE
)
"""The end of a host, as in the names of newsrooms."""
_NOBODY = frozenset((
    "admin", "administrator", "root", "webmaster", "user", "guest", "author", "authors", "editor",
    "unknown", "anonymous", "none", "null", "undefined", "name", "by", "posts", "view", "google", "google+",
    "google +", "google plus", "facebook", "twitter",
))  # fmt: skip
_POSTED = pattern(
    r"\W*(?:this\s+)?(?:entry\s+was\s+)?(?:written|posted|published|publié|publicado|geschrieben|skrevet|words|story|text)?"
    r"\W*(?:on|le|el|il|am|den)?\W*",
    re.IGNORECASE,
)
"""What stands before "by" in a byline, its date aside."""
BY = pattern(
    r"(?:^|(?<=[\s|·•–—,/:\d]))(?:(?:by|von|par|por|door|di|av|af|autor(?:in|es)?|author(?: of the article)?"
    r"|auteur|autore|автор|od|przez)(?:\s*:\s*|\s+)|by(?-i:(?=[A-ZÀ-Þ][\w.’'-])))",
    re.IGNORECASE,
)
BY_WORD = pattern(
    r"by|von[\s:]|p[ao]r[\s:]|door[\s:]|di[\s:]|a[vf][\s:]|aut|автор|od[\s:]|przez[\s:]"
)
"""Parts of lower-case texts without which there is nothing that `BY` finds."""
_OF_PICTURE = pattern(r"\W*(?:foto|photo|image|bild)", re.IGNORECASE)
"""How the name of a photographer or an agency begins."""
_NAME_END = pattern(
    r"\s*(?:[|•·–—/(\n\d,;]|\s-\s|(?-i:(?<=[a-zß-ÿ]{2}))(?<!Prof)(?<!Mrs)\.\s|\s(?:in|on|at|the)\s"
    r"|\b(?:posted|published|updated|filed|last|leave|no|comments?|messages|publié|publicado|categor\w+)\b"
    r"|\s(?:senior|junior|staff|chief|executive|managing|associate|contributing|freelance|breaking|news|sports?|politic\w+"
    r"|social|marketing|\w*writer|reporter|editor\w*|journalist|correspondent|korrespondent\w*|redakt\w+"
    r"|analyst|author|columnist|contributor|intern|related|archive)\b"
    r"|(?-i:(?<=[a-zß-ÿ])(?:Posted|Published|Updated|Filed|Categor[a-z]+|Tags?|Comments?|Korrespondent\w*|Reporter)\b)).*$",
    re.IGNORECASE | re.DOTALL,
)
_PARTICLES = frozenset((
    "al", "ben", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos", "du",
    "e", "el", "la", "le", "van", "von", "y", "zu",
))  # fmt: skip
"""Words of names that begin with a small letter."""
_TEXT_CHARS_MAX = 2000
"""Characters of the longest text that may name authors."""
_TAG = pattern(r"<[^<>]*>")
_LIFE = pattern(r",.*|\s*\(.*|\s*\d.*")
"""What libraries put behind a name: years of birth and death, and the role."""
_FAMILY = pattern(r"(?:[^\W\d_][\w.’'-]*\s?){1,5}")
_GIVEN = pattern(
    r"(?:[^\W\d_a-zß-ÿ][\w.’'-]*\s?){1,4}(?:(?:d[aeiou]s?|della|van|von|der|den|ter|af|zu|[yle]a?)\s?){0,3}"
)
"""Given names, with particles that libraries put behind them."""
_OWNER_CHARS_MIN = 5
_AGENCY = pattern(r"[A-Z]{2,5}")
_CREDENTIAL = pattern(
    r"(?:[JS]r|I{2,3}|IV|Ph\.?\s?D|M\.?D|M\.?A|B\.?A|M\.?Sc|B\.?Sc|R\.?N|Esq|CPA|MBA|[A-Z]{3,6})\.?"
)
"""What stands behind the comma of a name in the usual order: a title, a degree, an agency."""
_JOB = pattern(
    r"\b(?:[sj]r\.?|senior|junior|chief|head|lead|vice|co-?founder|founder|owner|president|chair\w*|director|manager|officer|executive"
    r"|editor\w*|writer|reporter|correspondent|journalist\w*|columnist|producer|photographer|contributor|author|intern|staff"
    r"|analyst|specialist|consultant|strategist|engineer|developer|designer|scientist|researcher|professor|lecturer|fellow|teacher|coach"
    r"|attorney|lawyer|physician|nurse|expert|advisor|adviser|partner|member|c[efmot]o|vp|redakt\w+|korrespondent\w*|chef\w*|leiter\w*"
    r"|rédact\w+|redact\w+|periodista|giornalista|direct\w+)\b",
    re.IGNORECASE,
)
"""Words of what somebody is, as it stands behind the comma of a name."""
_ARTICLES = frozenset(("the", "el", "la", "le", "die", "das", "los", "les", "il"))
_OF_ORGANISATIONS = frozenset((
    "agencies", "agency", "associated", "association", "blog", "bureau", "center", "centre", "channel", "college", "committee", "company",
    "contributors", "corp", "corporation", "council", "daily", "department", "desk", "editor", "editorial", "editors", "foundation",
    "gazette", "gmbh", "group", "inc", "institute", "journal", "limited", "llc", "ltd", "magazin", "magazine", "media",
    "ministry", "network", "news", "newspaper", "newsroom", "office", "online", "organization", "prevention", "publishing", "radio", "research",
    "redacción", "redaktion", "redaktionen", "redazione", "rédaction", "redação", "reuters", "shop", "society", "staff", "store", "studio",
    "studios", "team", "times", "toimitus", "tv", "university", "universität", "verein", "verlag", "web", "weekly", "редакция",
))  # fmt: skip
"""Words of the names of newsrooms, firms and institutions, and of no person."""
_WITHOUT_POINTS = methodcaller("strip", ".,")
_BYLINE_WORDS_MAX = 5
"""Words of the longest name in a byline."""
_FULL_NAME_WORDS_MAX = 4
"""Words of the longest name that stands alone."""
_NO_NAME = pattern(
    r"[^\w\s.’'-]|\b(?:about|over|über|sobre|acerca|autor(?:in|es)?|authors?|auteur|autore|posts?|more|articles?|share|follow)\b",
    re.IGNORECASE,
)
"""What no person's name has in it, above all the words over a note on an author."""


def byline_author(text: str, *, is_named: bool = False) -> str | None:
    """Return the author in a byline, or None where the text is no byline.

    Args:
        text: A short text, perhaps with a date before or behind the name.
        is_named: Whether the element of the text is named after an author, so that the name may stand
            alone.

    >>> byline_author("Posted on June 10, 2004 by Jon KvanvigJune 20, 2012")
    'Jon Kvanvig'
    >>> byline_author("Struck by Lightning") is None, byline_author("Ann Lee", is_named=True)
    (True, 'Ann Lee')
    """
    match = BY.search(text) if BY_WORD.search(text.lower()) else None
    if (match is None and not is_named) or _OF_PICTURE.match(text):
        return None
    if match is not None and not is_named and not _leads_to_author(text[: match.start()]):
        return None
    name = _NAME_END.sub("", text[match.end() if match else 0 :]).strip(" .:\"'")
    words = _BETWEEN.split(without_month(name))[0].split()
    if not 0 < len(words) <= _BYLINE_WORDS_MAX:
        return None
    is_cased = True
    for word in words:
        is_cased = is_cased and (not word[0].islower() or word in _PARTICLES)
    if match is None and (len(words) == 1 or not is_cased):
        return None
    if len(words) > 1 and not is_cased:
        return None
    names = author_names([" ".join(words)])
    return names[0] if names else None


def named_author(text: str) -> str | None:
    """Return the author in the text of an element that is named after one, where the name may stand alone."""
    return byline_author(text, is_named=True)


def full_name(text: str) -> str | None:
    """Return a text that has the form of a person's name, without what stands around it; else None.

    >>> full_name("Ludwig van Berg"), full_name("About the author"), full_name("Sports")
    ('Ludwig van Berg', None, None)
    """
    name = text.strip(" .,:")
    words = name.split()
    if not 2 <= len(words) <= _FULL_NAME_WORDS_MAX or _NO_NAME.search(name):
        return None
    is_cased = words[0][0].isupper() and words[-1][0].isupper()
    for word in words:
        is_cased = is_cased and (word[0].isupper() or word in _PARTICLES)
    names = author_names([name]) if is_cased else []
    return names[0] if names == [name] else None


def _leads_to_author(before: str) -> bool:
    if len(before) > _CHARS_MAX:
        return False
    return bool(_POSTED.fullmatch(before) or _POSTED.fullmatch(without_days(before)))


def author_names(texts: Iterable[str], form: NameForm = "byline") -> list[str]:
    """Return the different names in texts that name authors, in order.

    Args:
        texts: The texts; one of more than `_TEXT_CHARS_MAX` characters names nobody.
        form: Who wrote them: the family's name stands before a comma in libraries, where a text may name several
            people, and in citations, where it names one.

    >>> author_names(["By Ann Lee and Bob Ray | The Daily", "ann lee", "admin"])
    ['Ann Lee', 'Bob Ray']
    >>> author_names(["Lee, Ann; van Ray, Bob"]), author_names(["Poe Diaz, Eva María"], "citation")
    (['Ann Lee', 'Bob van Ray'], ['Eva María Poe Diaz'])
    >>> author_names(["Ann Lee, Sr. Director of Parks, City of Poe"])
    ['Ann Lee']
    """
    found: dict[str, str] = {}
    for text in texts:
        if len(text) > _TEXT_CHARS_MAX or _BAD_TEXT.search(text):
            continue
        shown = _TAG.sub(" ", text).strip()
        for one in shown.split(";"):
            piece = _BEHIND.sub("", _BEFORE.sub("", one.strip()))
            for part in _parts(piece, form) if "," in piece else _BETWEEN.split(piece):
                name = " ".join(_BEFORE.sub("", part.strip(" ,.:;–—-|•\"'")).split())
                is_name = (
                    1 < len(name) <= _CHARS_MAX
                    and len(name.split()) <= _WORDS_MAX
                    and name.casefold() not in _NOBODY
                    and not _BAD.search(name)
                    and any(map(str.isalpha, name))
                )
                if is_name:
                    found.setdefault(name.casefold(), name)
    return list(found.values())[:_NAMES_MAX]


def people_among(names: Iterable[str], owners: Iterable[str] = ()) -> list[str]:
    """Return those of some names that are no organisations, such as newsrooms or the site.

    Args:
        names: The names.
        owners: Letters of the names of the site and of its publisher, see `letters_of`.

    >>> people_among(["The River Gazette", "Ann Press", "Ann Lee"], ["annlee"])
    ['Ann Press']
    """
    people = []
    for name in names:
        letters, words = letters_of(name), name.casefold().split()
        is_organisation = (
            words[0] in _ARTICLES
            or not _OF_ORGANISATIONS.isdisjoint(map(_WITHOUT_POINTS, words))
            or _DOMAIN.search(name) is not None
            or _AGENCY.fullmatch(name) is not None
        )
        for owner in owners:
            is_within = len(owner) > _OWNER_CHARS_MIN and owner in letters
            is_organisation = is_organisation or letters == owner or is_within
        if not is_organisation:
            people.append(name)
    return people


def _parts(text: str, form: NameForm) -> list[str]:
    """Return the names that a text lists; a comma ends a name where what follows is a name, too."""
    if form != "byline" and (name := _given_first(text, form)):
        return [name]
    parts = []
    for part in _BETWEEN.split(text):
        if name := _given_first(part, form):
            parts.append(name)
            continue
        by_comma = [one.strip() for one in part.split(",")]
        jobs = [at for at, one in enumerate(by_comma) if at and _JOB.search(one)]
        by_comma = by_comma[: jobs[0]] if jobs else by_comma
        is_list = len(by_comma) > 1 and all(len(one.split()) >= 2 for one in by_comma if one)
        parts += by_comma if is_list else [by_comma[0]]
    return parts


def _given_first(text: str, form: NameForm) -> str | None:
    """Return a name without the comma that a library puts behind the family's name; None where it is not written so.

    Elsewhere than in libraries, "Ann Lee, Reuters" and "Ann Lee, Bob Ray" are as frequent, so the family's name must be one
    word there, particles aside.
    """
    family, comma, given = (one.strip() for one in text.partition(","))
    if not comma:
        return None
    given = _LIFE.sub("", given).strip()
    if not _GIVEN.fullmatch(given) or not _FAMILY.fullmatch(family) or _CREDENTIAL.fullmatch(given):
        return None
    words = [word for word in family.split() if word.casefold() not in _PARTICLES]
    if len(words) != 1 and form == "byline":
        return None
    if len(people_among((family, given))) < 2:
        return None
    begins_so = family.split()[0].casefold() in _PARTICLES
    is_pair = len(words) == len(given.split()) == 2 and not begins_so and "." not in given
    return None if is_pair and form != "citation" else f"{given} {family}"
