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
    r"^(?:(?:written|posted|published|story|words|photos?|text|edited|reported|guest\s(?:post|column|blog))\s+)?(?:by|von|par|por|de la redacción de|da|door|av|af|"
    r"autor(?:in|es)?|author|auteur|autore|автор|текст|od|przez|skrevet av)\b\s*:?\s*"
    r"|^(?:text|words|story|report\w*|bericht|testo?|texte|tekst)\s*:\s*|^(?:文|記者|记者|作者|取材)\s*[:：/／]\s*",
    re.IGNORECASE,
)
_BEHIND = pattern(
    r"\s*(?:[|•·–—]\s.*|\s-\s.*|\(.*|\b(?:on|am|le|el|il|updated|published|posted)\s+\w*\s*\d.*"
    r"|,?\s+(?:for\s(?=(?-i:[A-Z]))|con (?:información|agencias)|(?:mit|avec) agen\w+|[<(]?\S+@|기자|special to|staff writer|staff reporter|redakteur(?:in)?|associated press writer|correspondent|editor)(?:\b|(?<=\W)).*)$",
    re.IGNORECASE,
)
_CAPITAL = r"[^\W\d_a-zß-ÿа-яё]"
_AND = rf"\b(?:and|AND|und|UND|og|och|et|with|avec)\b|\b(?:y|e|i|a|и|і|та|és|ve|ja|și)\b(?=\s+{_CAPITAL}\S*\s+{_CAPITAL})|\s&\s|、|，"
"""What stands between two names; words of one letter stand inside names, too, but not before two words."""
_DUTCH_AND = rf"\ben\b(?=\s+{_CAPITAL}\S*\s+\S)"
"""It means "in" in Spanish."""
_BETWEEN = pattern(rf"\s*(?:[;|]|\s/\s|{_AND}|{_DUTCH_AND})\s*")
_BETWEEN_AUTHORS = pattern(rf"\s*(?:{_AND})\s*")
_BETWEEN_DUTCH_AUTHORS = pattern(rf"\s*(?:{_AND}|{_DUTCH_AND})\s*")
_NAME_BORDER = r"(?=\s*(?:\Z|[,;|&(/•·–—\n]|(?:and|und|et|y|with|on|in|AND)\b))"
_GENERATION = pattern(rf",?\s+(?P<name>[JS]r|I{{2,3}}|IV)\b\.?{_NAME_BORDER}")
_GIVEN_AND_GENERATION = pattern(r"\A(.*?)(\s(?:[JS]r\.?|I{2,3}|IV))?\Z")
_JUNIOR = pattern(r"\s[JS]r\Z")
_DEGREE = pattern(
    r",?\s+(?:Ph\.?\s?D|D\.?Phil|M\.D|MD|M\.P\.H|MPH|M\.?Sc|B\.?Sc|MBA|J\.D|JD|DDS|DVM|R\.N|RN|CPA|Esq)\b\.?"
    + _NAME_BORDER
)
"""Degrees behind a name, which are no part of it, with or without a comma."""
_EAST_ASIAN = pattern("[\u3040-\u30ff\u4e00-\u9fff]{2,5}|[\uac00-\ud7a3]{2,4}")
"""A name that is written as one word."""
_REVIEWED = pattern(r".*[|•·–—;,]", re.DOTALL)
"""The name of somebody who reviewed the page, before that of its author."""
_IN_PLACE = pattern(rf"\s(?:in|at)\s{_CAPITAL}\w+(?:\s{_CAPITAL}\w+)?\s*\Z")
"""Where one of several authors writes from."""
_OTHER_WORK = (
    r"\b(?:reviewed|fact-?\s?checked|illustrat\w+|photograph\w*|photos?|pictures?|translated)"
)
"""What people have done who did not write the page."""
_OTHERS = pattern(rf"{_OTHER_WORK}\s*\Z", re.IGNORECASE)
_OF_OTHERS = pattern(rf"\s*(?:\w+ally\s+)?{_OTHER_WORK}\b.{{0,20}}?(?:\bby\b|:)", re.IGNORECASE)
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
    "google +", "google plus", "facebook", "twitter", "others", "et al",
))  # fmt: skip
_POSTED = pattern(
    r"\W*(?:this\s+)?(?:entry\s+was\s+)?(?:written|posted|published|publié|publicado|geschrieben|skrevet|words|story|text)?"
    r"\W*(?:on|le|el|il|am|den)?\W*",
    re.IGNORECASE,
)
"""What stands before "by" in a byline, its date aside."""
BY = pattern(
    r"(?:^|(?<=[\s|·•–—,/:\d]))(?:(?:by|von|par|por|door|di|av|af|autor(?:in|es)?|author(?: of the article)?"
    r"|auteur|autore|автор|od|przez)(?:\s*:\s*|\s+)|(?:text[eo]?|words)\s?:\s*|(?:作者|記者|记者|取材|文)\s*[:：/／・]\s*|[記记]者(?=\w{2,4}[/／]|\s+[\u4e00-\u9fff]{2,4}(?:\s|[|｜/／,，、]|\Z))|by(?-i:(?=[A-ZÀ-Þ][\w.’'-])))",
    re.IGNORECASE,
)
_LABELLED = pattern(
    r"(?:[【\[][^】\]]*[】\]]|(?:来源|來源|出处|出處|稿源|来自|编辑|編輯|责编|責編|责任编辑|責任編輯|审核|校对|发布|發布|(?:发布|發布|更新|发表|發表)?(?:时间|時間|日期)"
    r"|(?:浏览|瀏覽|阅读|閱讀|点击|點擊)\w{0,3})\s*[:：/／]\s*[^\s|｜]*)[\s|｜]*"
)
"""What Chinese bylines say beside the author: the source, the editor, the day, the number of readers."""
REPORTER_BEHIND = pattern(
    r"\s*(?P<name>[\u3040-\u30ff\u4e00-\u9fff]{2,6}(?=\s)|(?!본지|취재|인턴|사진|전문)[\uac00-\ud7a3]{2,4}(?<!부))\s?(?:記者|特派員|기자)(?!\w)"
)
"""A name before the word for a reporter, as Japanese and Korean bylines begin."""
BY_WORD = pattern(
    r"by|von[\s:]|p[ao]r[\s:]|door[\s:]|di[\s:]|a[vf][\s:]|aut|автор|od[\s:]|przez[\s:]|text[eo]?\s?:|words\s?:|作者|[記记]者|特派員|기자|取材|文"
)
"""Parts of lower-case texts without which there is nothing that `BY` finds."""
_OF_PICTURE = pattern(r"\W*(?:foto|photo|image|bild)", re.IGNORECASE)
"""How the name of a photographer or an agency begins."""
_NAME_END = pattern(
    r"\s*(?:[|｜•·–—/／(\n\d,;]|\s\w{1,10}[:：／]|\s-\s|\s\S+@|\s기자|(?-i:(?<=[a-zß-ÿ]{2}))(?<!Prof)(?<!Mrs)\.\s|\s(?:in|on|at|the|en)\s"
    r"|\b(?:posted|published|updated|filed|last|leave|no|comments?|messages|publié|publicado|categor\w+)\b"
    r"|\s(?:senior|junior|staff|chief|executive|managing|associate|contributing|freelance|breaking|news|sports?|politic\w+"
    r"|social|marketing|\w*writer|reporter|editor\w*|journalist|correspondent|korrespondent\w*|redakt\w+"
    r"|analyst|author|columnist|contributor|intern|related|archive)\b"
    r"|(?-i:(?<=[a-zß-ÿ])(?:Posted|Published|Updated|Filed|Categor[a-z]+|Tags?|Comments?|Korrespondent\w*|Reporter)\b)).*$",
    re.IGNORECASE | re.DOTALL,
)
_PARTICLES = frozenset((
    "al", "ben", "bin", "bint", "da", "das", "de", "degli", "dei", "del", "della", "den", "der", "di", "do", "dos", "du",
    "e", "el", "ibn", "la", "las", "le", "los", "ten", "ter", "van", "von", "y", "zu", "zur",
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
    "afp", "agencies", "agency", "apa", "associated", "association", "blog", "bureau", "center", "centre", "channel", "college", "committee", "company",
    "contributors", "corp", "corporation", "council", "daily", "department", "desk", "dpa", "editor", "editorial", "editors", "epd", "foundation",
    "gazette", "gmbh", "group", "inc", "institute", "journal", "kna", "limited", "llc", "ltd", "magazin", "magazine", "media",
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
    """Return the first of the `byline_authors`; None where there is none.

    >>> byline_author("By Ann Lee and Bob Ray")
    'Ann Lee'
    """
    return next(iter(byline_authors(text, is_named=is_named)), None)


def byline_authors(text: str, *, is_named: bool = False) -> list[str]:
    """Return the authors in a byline; none where the text is no byline.

    Args:
        text: A short text, perhaps with a date before or behind the name.
        is_named: Whether the element of the text is named after an author, so that the name may stand
            alone.

    >>> byline_authors("Posted on June 10, 2004 by Jon KvanvigJune 20, 2012")
    ['Jon Kvanvig']
    >>> byline_authors("By Ann Lee, PhD, Bob Ray Jr. and C. Poe, 4 March 2026")
    ['Ann Lee', 'Bob Ray Jr.', 'C. Poe']
    >>> byline_authors("Struck by Lightning"), byline_authors("Ann Lee", is_named=True)
    ([], ['Ann Lee'])
    """
    if reporter := REPORTER_BEHIND.match(text):
        return [reporter["name"]]
    match, start = _first_by(text)
    if (match is None and not is_named) or _OF_PICTURE.match(text):
        return []
    if match is not None and not is_named:
        before = text[start : match.start()]
        if not _leads_to_author(_REVIEWED.sub("", before) if start else before):
            return []
    signed = _without_titles(text[match.end() if match else 0 :])
    is_dutch = match is not None and match[0][:4].lower() == "door"
    authors: list[str] = []
    *first, last = (_BETWEEN_DUTCH_AUTHORS if is_dutch else _BETWEEN_AUTHORS).split(signed)
    # A comma ends a byline unless it is that of a list, whose last name stands behind "and".
    parts = [one for part in first for one in part.split(",") if one.strip()] if first else []
    for part in [*parts, last]:
        name = _NAME_END.sub("", part)
        words = without_month(name.strip(" .:\"'")).split()
        is_cased = True
        for word in words:
            is_small = word[0].islower() and word not in _PARTICLES
            is_cased = is_cased and (not is_small or word[1:2] in {"'", "’"})
        is_alone = len(words) == 1 and bool(
            (match and not authors) or _EAST_ASIAN.fullmatch(words[0])
        )
        if not 0 < len(words) <= _BYLINE_WORDS_MAX or not (
            is_alone or (is_cased and len(words) > 1)
        ):
            break
        names = author_names([" ".join(words)])
        authors += names[:1]
        if not names or (len(name) < len(part) and not _IN_PLACE.fullmatch(part[len(name) :])):
            break
    return authors


def _first_by(text: str) -> tuple[re.Match[str] | None, int]:
    """Return the first "by" that tells of the author, and where what others have done is over."""
    start = 0
    for candidate in BY.finditer(text) if BY_WORD.search(text.lower()) else ():
        if not _OTHERS.search(text[: candidate.start()]):
            return candidate, start
        start = candidate.end()
    return None, start


def _without_titles(text: str) -> str:
    """Return a text without the degrees of those whom it names, and without the comma before "Jr." and "III"."""
    return _GENERATION.sub(r" \g<name>", _DEGREE.sub("", text))


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
    before = before if before.isascii() else _LABELLED.sub("", before)
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
    name_of_key: dict[str, str] = {}
    for text in texts:
        if len(text) > _TEXT_CHARS_MAX or _BAD_TEXT.search(text):
            continue
        shown = _without_titles(_TAG.sub(" ", text).strip())
        for signature in shown.split(";"):
            piece = _BEHIND.sub("", _BEFORE.sub("", signature.strip()))
            for part in _parts(piece, form) if "," in piece else _BETWEEN.split(piece):
                if _OF_OTHERS.match(part):
                    continue
                name = " ".join(_BEFORE.sub("", part.strip(" ,.:;–—-|•\"'")).split())
                is_name = (
                    1 < len(name) <= _CHARS_MAX
                    and len(name.split()) <= _WORDS_MAX
                    and name.casefold() not in _NOBODY
                    and not _BAD.search(name)
                    and any(map(str.isalpha, name))
                )
                if is_name:
                    name_of_key.setdefault(name.casefold(), _JUNIOR.sub(r"\g<0>.", name))
    return list(name_of_key.values())[:_NAMES_MAX]


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
    if is_pair and form != "citation":
        return None
    first, generation = _GIVEN_AND_GENERATION.findall(given)[0]
    return f"{first} {family}{generation}"
