"""Synthetic sites that look like those of people: newspapers, shops and manuals, in whole English sentences.

They are for pictures, tours and first tries. `feed` writes the sites that models are tried on: in eight languages and
many designs, of words without a meaning.
"""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from random import Random
from struct import pack
from typing import Any, Literal, get_args

import lxml.html

from templ_core.dom.tags import INLINE
from workers.inspect.html_templates import render
from workers.lab.simulate.design import Fragment, Run, SectionType, sections
from workers.lab.simulate.synthetic_page import SyntheticPage

ReadableGenre = Literal["news", "shop", "manual"]
READABLE_GENRES: tuple[ReadableGenre, ...] = get_args(ReadableGenre)

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_BLOCK_END = re.compile(r"</(?:p|h\d|li|td|th|dt|dd|div|aside|section|pre|b|button)>(?!\s)")
_WORD = re.compile(r"(?<![{\w.])[a-z]+(?![}\w])")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
_LISTED = 9
_LISTING_SHARE = 0.15
_ACCENTS = ["#1f4e79", "#7a2e39", "#2f5d3a", "#5a3f7d", "#7a4b12", "#145c63"]
_PAPERS = ["#ffffff", "#fbfaf7", "#f7f9fb"]
_FONTS = ("Georgia, serif", "Helvetica, Arial, sans-serif", "Verdana, sans-serif")
_ROLES = {
    "header": SectionType.HEADER,
    "navigation": SectionType.NAVIGATION,
    "crumbs": SectionType.NAVIGATION,
    "pager": SectionType.NAVIGATION,
    "page": SectionType.NAVIGATION,
    "main": SectionType.NAVIGATION,
    "article": SectionType.NAVIGATION,
    "listing": SectionType.NAVIGATION,
    "teaser": SectionType.NAVIGATION,
    "title": SectionType.CONTENT,
    "body": SectionType.CONTENT,
    "teaser_title": SectionType.CONTENT,
    "teaser_text": SectionType.CONTENT,
    "byline": SectionType.NEUTRAL,
    "teaser_meta": SectionType.NEUTRAL,
    "share": SectionType.SHARE,
    "related": SectionType.RELATED,
    "advert": SectionType.ADVERT,
    "comments": SectionType.COMMENTS,
    "comment": SectionType.COMMENTS,
    "newsletter": SectionType.NEWSLETTER,
    "sidebar": SectionType.WIDGET,
    "footer": SectionType.FOOTER,
    "consent": SectionType.CONSENT,
}
"""What the text in an element of each role is."""
_CONTENT = {
    "article": ("title", "body"),
    "listing": ("title", "teaser_title", "teaser_text"),
}
_NEUTRAL = ("byline", "comments", "teaser_meta")
_NEVER_CONTENT = ("advert",)


class _Names(dict[str, str]):
    """The words that patterns name; numbers and days are drawn each time."""

    def __init__(self, rng: Random, words: Mapping[str, str]) -> None:
        super().__init__(words)
        self._rng = rng

    def __missing__(self, name: str) -> str:
        rng = self._rng
        match name:
            case "n":
                return str(rng.randint(3, 24))
            case "m":
                return str(rng.randint(12, 90))
            case "v":
                return f"{rng.randint(1, 9)}.{rng.randint(0, 9)}"
            case "year":
                return str(rng.randint(1860, 1990))
            case "day":
                return rng.choice(_DAYS)
            case "month":
                return rng.choice(_MONTHS)
            case "town2":
                return _chosen(rng, _data()["places"])
        raise KeyError(name)


def _written(pattern: str, rng: Random, words: Mapping[str, str]) -> str:
    """Return a sentence of a pattern: `[a|b]` is one of several texts, `{name}` one of the words."""
    while choice := _CHOICE.search(pattern):
        chosen = rng.choice(choice[1].split("|"))
        pattern = pattern[: choice.start()] + chosen + pattern[choice.end() :]
    pattern = _WORD.sub(lambda match: _one_of(rng, match[0]), pattern)
    text = pattern.format_map(_Names(rng, words))
    return text[:1].upper() + text[1:]


def _chosen(rng: Random, texts: str) -> str:
    """Return one of some texts with bars between them."""
    return rng.choice(texts.split("|"))


def _one_of(rng: Random, word: str) -> str:
    """Return a word or one that means nearly the same."""
    same: str | None = _data()["synonyms"].get(word)
    return _chosen(rng, same) if same else word


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """An article, a product or a function; what the other kinds have is empty."""

    title: str
    lead: str
    paragraphs: list[str]
    path: str
    published: datetime
    author: str
    picture: str
    heading: str = ""
    price: str = ""
    stock: int = 0
    fields: tuple[tuple[str, str], ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()
    call: str = ""
    returned: str = ""
    example: str = ""

    @property
    def day(self) -> str:
        """The day on which it was published, as a page shows it."""
        return f"{self.published:%B} {self.published.day}, {self.published.year}"


class ReadableSite:
    """A site of one genre; `design` is 0 before the redesign and 1 after it."""

    def __init__(self, number: int, seed: int, genre: ReadableGenre, start: datetime) -> None:
        self.seed, self.genre = f"{seed}/readable/{number}", genre
        rng = Random(self.seed)
        data = _data()[genre]
        self.town = rng.choice(_data()["places"].split("|"))
        version = f"{rng.randint(1, 6)}.{rng.randint(0, 9)}"
        self.name = rng.choice(data["names"].split("|")).format(place=self.town, v=version)
        self.tagline = rng.choice(data["tagline"].split("|"))
        self.menu = rng.sample(data["menu"].split("|"), 7)
        self.footer = data["footer"].split("|")
        self.promo, self.legal = rng.choice(data["promo"].split("|")), data["legal"]
        self.newsletter = data["newsletter"]
        self.recent_title = {"news": "Most read", "shop": "Best sellers", "manual": "On this site"}[
            genre
        ]
        topics = data.get("topics", [])
        self.tags = [
            one.get("tag", one["thing"]) for one in rng.sample(topics, min(8, len(topics)))
        ]
        if genre == "manual":
            self.tags = rng.sample(data["modules"].split(), 8)
        word = re.sub(r"[^a-z]+", "-", self.name.lower()).strip("-")
        self.key = f"{word}-{number}.example"
        self.start = start

    def style(self, design: int) -> dict[str, Any]:
        """Return the names of classes and the style of a design."""
        rng = Random(f"{self.seed}/design/{design}")
        form = rng.choice(("{0}", "site-{0}", "{1}__{0}", "{1}-{0}"))
        block = rng.choice(("layout", "view", "frame", "shell"))
        return {
            "names": {role: form.format(role.replace("_", "-"), block) for role in _ROLES},
            "accent": rng.choice(_ACCENTS),
            "paper": rng.choice(_PAPERS),
            "font": rng.choice(_FONTS),
            "side_first": rng.random() < 0.4,
        }

    @lru_cache(maxsize=4096)  # noqa: B019 - a feed has few sites, which live as long as it does
    def entry(self, number: int) -> _Entry:
        """Return an entry; equal numbers are equal entries."""
        rng = Random(f"{self.seed}/entry/{number}")
        make = {"news": self._story, "shop": self._product, "manual": self._function}[self.genre]
        fields = make(rng, number)
        slug = re.sub(r"[^a-z0-9]+", "-", fields["title"].lower()).strip("-")
        return _Entry(
            path=f"/{'item' if self.genre == 'shop' else 'page'}/{slug}-{number}/",
            published=self.start + timedelta(hours=7 * number),
            picture=_picture(rng),
            **fields,
        )

    def _prose(
        self, rng: Random, words: Mapping[str, str], counts: list[int]
    ) -> tuple[str, str, list[str]]:
        """Return the title, the lead, and paragraphs of as many sentences as `counts` says."""
        data = _data()[self.genre]
        title = _written(rng.choice(data["titles"]), rng, words)
        lead = _written(rng.choice(data["leads"]), rng, words)
        patterns = iter(rng.sample(data["sentences"], sum(counts)))
        paragraphs = [
            " ".join(_written(next(patterns), rng, words) for _ in range(count)) for count in counts
        ]
        return title, lead, paragraphs

    def _story(self, rng: Random, _number: int) -> dict[str, Any]:
        data, people = _data(), rng.sample(_data()["people"].split("|"), 5)
        topic = rng.choice(data["news"]["topics"])
        words = {
            **topic,
            "town": self.town,
            "person": people[0],
            "person2": people[1],
            "thing_c": topic["thing"].capitalize(),
            "working_c": topic["working"].capitalize(),
            "trade_c": topic["trade"].capitalize(),
            "trades": topic["trade"],
        }
        counts = [rng.randint(2, 3) for _ in range(rng.randint(4, 9))]
        title, lead, paragraphs = self._prose(rng, words, counts)
        remark = (
            "[I agree with|Well said,|I doubt it,] {person2}.",
            "[At last|About time], {town}!",
        )
        return {
            "title": title,
            "lead": lead,
            "paragraphs": paragraphs,
            "author": people[2],
            "heading": _written(
                "[What comes next|A long argument|The view from {place}]", rng, words
            ),
            "remarks": tuple(
                (name, _written(rng.choice(remark), rng, words))
                for name in people[3 : 3 + rng.randint(0, 2)]
            ),
        }

    def _product(self, rng: Random, number: int) -> dict[str, Any]:
        data, topic = _data()["shop"], rng.choice(_data()["shop"]["topics"])

        def one_of(name: str) -> str:
            return str(rng.choice(data[name].split("|")))

        material, colour, origin = one_of("materials"), one_of("colours"), one_of("origins")
        people = rng.sample(_data()["people"].split("|"), 3)
        words = {
            **topic,
            "model": one_of("models"),
            "material": material,
            "material_c": material.capitalize(),
            "colour": colour,
            "origin": origin,
            "person": people[0],
            "part_c": topic["part"].capitalize(),
        }
        title, lead, paragraphs = self._prose(rng, words, [2] * rng.randint(2, 4))
        fields = (
            ("Material", material.capitalize()),
            ("Colour", colour.capitalize()),
            ("Weight", f"{rng.randint(2, 60) * 50} g"),
            ("Width", f"{rng.randint(8, 60)} cm"),
            ("Made in", origin),
            ("Care", one_of("care")),
            ("Guarantee", one_of("guarantees")),
            ("Article number", f"{rng.randint(100, 999)}-{number:04d}"),
        )
        return {
            "title": title,
            "lead": lead,
            "paragraphs": paragraphs,
            "author": people[0],
            "price": f"{rng.randint(6, 180)}.{rng.choice(('00', '50', '90'))}",
            "stock": rng.randint(2, 9),
            "fields": tuple(one for one in fields if rng.random() < 0.9),
            "remarks": tuple(
                (name, _written(rng.choice(data["reviews"]), rng, words)) for name in people[1:]
            ),
        }

    def _function(self, rng: Random, _number: int) -> dict[str, Any]:
        data = _data()["manual"]
        module, action = rng.choice(data["modules"].split()), rng.choice(data["actions"].split())
        words = {
            "module": module,
            "action": action,
            "other": rng.choice(data["actions"].split()),
            "error": rng.choice(data["errors"].split("|")),
        }
        _, lead, paragraphs = self._prose(rng, words, [2] * rng.randint(2, 4))
        params = rng.sample(data["params"].split("|"), rng.randint(2, 4))
        kinds = [rng.choice(data["types"].split("|")) for _ in params]
        return {
            "title": f"{module}.{action}",
            "lead": lead,
            "paragraphs": paragraphs,
            "author": "",
            "call": f"{module}.{action}({', '.join(params)})",
            "fields": tuple(
                (f"{name}: {kind}", _written(rng.choice(data["parameters"]), rng, words))
                for name, kind in zip(params, kinds, strict=True)
            ),
            "returned": _written(rng.choice(data["returns"]), rng, words),
            "example": f'with {module}.open("data") as one:\n    one.{action}({params[0]}={rng.randint(2, 90)})',
        }


def readable_page(
    site: ReadableSite, number: int, moment: datetime, rng: Random, *, design: int, is_missing: bool
) -> SyntheticPage:
    """Return the page of the entry with a number, a listing around it, or an error page."""
    style, newest = site.style(design), number + 40
    role = "missing" if is_missing else "article"
    if not is_missing and rng.random() < _LISTING_SHARE:
        role = "listing"
    entry = site.entry(number)
    others = [site.entry(one) for one in rng.sample(range(max(0, newest - 60), newest), 3)]
    section = site.menu[number % len(site.menu)]
    section_path = f"/{section.lower().replace(' ', '-')}/"
    path = {
        "article": entry.path,
        "listing": f"{section_path}?page={number}",
        "missing": f"/gone/{rng.randrange(10**6)}",
    }[role]
    template = site.genre if role == "article" else role
    html = str(
        render(
            f"lab/simulate/templates/readable_{template}.html",
            site=_Shown(site, style),
            names=style["names"],
            title={"article": entry.title, "listing": section, "missing": "Page not found"}[role],
            entry=entry if role == "article" else None,
            entries=[site.entry(one) for one in range(number, number + _LISTED)],
            recent=[site.entry(one) for one in range(newest - 5, newest)],
            related=others,
            section=section,
            section_path=section_path,
            linked_data=_linked_data(site, entry),
        )
    )
    html = _BLOCK_END.sub(r"\g<0>\n", html)
    content = _CONTENT.get(role, ())

    def selector(roles: tuple[str, ...]) -> str | None:
        return ", ".join(f".{style['names'][one]}" for one in roles) if content else None

    return SyntheticPage(
        url=f"https://www.{site.key}{path}",
        site=site.key,
        fetched_at=moment,
        html=html,
        encoding=None,
        status=404 if is_missing else 200,
        genre=site.genre,
        page_role=role,
        language="en",
        design=design,
        sections=sections(Fragment("", tuple(_runs(html, style["names"], content)))),
        gold_selector=selector(content),
        gold_exclude=selector(_NEVER_CONTENT),
        gold_neutral=selector(_NEUTRAL),
    )


class _Shown:
    """A site in a design, for templates."""

    def __init__(self, site: ReadableSite, style: Mapping[str, Any]) -> None:
        self._site, self._style = site, style

    def __getattr__(self, name: str) -> Any:
        return self._style[name] if name in self._style else getattr(self._site, name)


def _linked_data(site: ReadableSite, entry: _Entry) -> str:
    data: dict[str, Any] = {"@context": "https://schema.org"}
    if site.genre == "shop":
        offer = {"@type": "Offer", "price": entry.price, "priceCurrency": "GBP"}
        data |= {"@type": "Product", "name": entry.title, "offers": offer}
    else:
        author = {"@type": "Person", "name": entry.author}
        date = entry.published.isoformat()
        data |= {"@type": "NewsArticle", "headline": entry.title, "datePublished": date}
        data["author"] = author
    return json.dumps(data).replace("</", "<\\/")


def _picture(rng: Random) -> str:
    """Return a picture of four pixels, which a browser blends into a landscape, as a data URL."""
    sky = bytes(rng.randint(150, 235) for _ in range(6))
    land = bytes(rng.randint(50, 150) for _ in range(6))
    rows = zlib.compress(b"\0" + sky + b"\0" + land)

    def chunk(name: bytes, body: bytes) -> bytes:
        return pack(">I", len(body)) + name + body + pack(">I", zlib.crc32(name + body))

    head = pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return f"data:image/png;base64,{b64encode(png).decode()}"


def _runs(html: str, names: Mapping[str, str], content: tuple[str, ...]) -> Iterator[Run]:
    """Yield the visible text of a page with what each run of it is."""
    roles = {name: role for role, name in names.items()}

    def walk(element: Any, kind: SectionType) -> Iterator[Run]:
        if not isinstance(element.tag, str) or element.tag in {"head", "script", "style"}:
            return
        role = roles.get(element.get("class", ""))
        if role is not None:
            is_other = _ROLES[role] is SectionType.CONTENT and role not in content
            kind = SectionType.NAVIGATION if is_other else _ROLES[role]
        is_block = element.tag not in INLINE or element.tag == "br"
        if is_block:
            yield kind, "\n"
        yield kind, element.text or ""
        for child in element:
            yield from walk(child, kind)
            yield kind, child.tail or ""
        if is_block:
            yield kind, "\n"

    yield from walk(lxml.html.document_fromstring(html), SectionType.NAVIGATION)


@cache
def _data() -> dict[str, Any]:
    path = files("workers.lab.simulate").joinpath("data", "readable.json")
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data
