"""The design of a site: its theme, the amount of furniture around the content, and the layout."""

from dataclasses import dataclass
from random import Random
from typing import Literal

from workers.lab.simulate.design.markup import Markup
from workers.lab.simulate.design.theme import Family, Theme, make_theme
from workers.lab.simulate.quantiles import Quantiles, near, spread

_FAMILIES: tuple[Family, ...] = (
    "semantic", "soup", "semantic", "tables", "soup", "semantic", "bare", "soup",
)  # fmt: skip

_FURNITURE_ELEMENTS = Quantiles(
    (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0), (0, 12, 35, 200, 540, 1000, 1250, 1700)
)
"""Distribution of the number of elements outside a page's content, as measured on real sites."""
_PAGE_BYTES = Quantiles(
    (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0),
    (3_500, 8_000, 22_500, 38_000, 68_000, 122_000, 160_000, 330_000),
)


@dataclass(frozen=True)
class Furniture:
    """How many elements of each sort a page has around its content."""

    head_tags: int
    menu_entries: int
    submenu_entries: int
    widgets: int
    widget_entries: int
    footer_links: int
    icons: int
    related: int
    filler_bytes: int
    """Size of the scripts and style sheets of a page."""


@dataclass(frozen=True)
class Placement:
    """Which optional parts a design shows, and where it places them."""

    sidebar: Literal["left", "right", "none"]
    related: Literal["inside", "end", "after", "none"]
    share: Literal["top", "end", "none"]
    consent: Literal["top", "bottom", "none"]
    newsletter: Literal["inside", "after", "footer", "none"]
    advert_every: int
    """Number of paragraphs between two adverts; 0 means that the text has no adverts."""
    hidden_menu: bool
    crumbs: bool
    author_box: bool
    comments: bool
    pager: bool
    tags: bool


@dataclass(frozen=True, eq=False)
class Design:
    """One look of a site. A redesign replaces it as a whole."""

    number: int
    """0 for the first design and 1 for the one after the redesign."""
    seed: str
    theme: Theme
    markup: Markup
    furniture: Furniture
    place: Placement
    filler_start: float
    """Where in the pool of filler lines the design's scripts begin; a share from 0 to 1."""


def make_design(site_seed: str, feed_seed: str, site_number: int, number: int) -> Design:
    """Return the design of a site: number 0, or number 1 after its redesign."""
    seed = f"{site_seed}/design/{number}"
    rng = Random(seed)
    family = _FAMILIES[(site_number + number) % len(_FAMILIES)]
    markup = _make_markup(family, rng)
    place = _make_placement(family, rng)
    look_seed = f"{feed_seed}/look/{number}"
    richness = spread(look_seed, site_number)
    heaviness = near(richness, spread(look_seed, site_number, 1), 0.3)
    return Design(
        number=number,
        seed=seed,
        theme=make_theme(family, markup, _depth(richness), rng),
        markup=markup,
        furniture=_make_furniture(richness, heaviness, place),
        place=place,
        filler_start=rng.random(),
    )


def _depth(richness: float) -> int:
    return int(richness * 3)


def _make_markup(family: Family, rng: Random) -> Markup:
    old = family == "tables"
    return Markup(
        upper_case=rng.random() < (0.6 if old else 0.03),
        bare_values=rng.random() < (0.5 if old else 0.15),
        open_ended=rng.random() < (0.5 if old else 0.08),
        entities=rng.choices(("none", "named", "numeric"), (80, 15, 5))[0],
        paragraphs=rng.choices(("p", "br", "div"), (45, 45, 10) if old else (88, 6, 6))[0],
        paragraph_attributes=rng.choice(
            ("", "", "", ' style="text-align: justify;"', ' dir="auto"')
        ),
        indent=rng.choice(("", "", "\t", "    ", "\n")),
    )


def _make_furniture(richness: float, heaviness: float, place: Placement) -> Furniture:
    elements = _FURNITURE_ELEMENTS.value(richness)
    page_bytes = _PAGE_BYTES.value(heaviness)
    widgets = 0 if place.sidebar == "none" else int(min(0.6 + elements / 120, 6))
    entries = int(min(0.15 * elements / 5 / max(1, widgets), 14))
    left = elements - 5 * widgets * max(2, entries)
    menu_share = 0.22 / (2 if place.hidden_menu else 1)
    menu_entries = int(min(2 + elements * 0.02, 9))
    return Furniture(
        head_tags=int(2 + left * 0.10),
        menu_entries=menu_entries,
        submenu_entries=int(max(0.0, left * menu_share / 3 - menu_entries)),
        widgets=widgets,
        widget_entries=max(2, entries),
        footer_links=int(3 + left * 0.10 / 2),
        icons=int(left * 0.45 / 3),
        related=int(min(2 + elements * 0.006, 8)),
        filler_bytes=max(0, int(page_bytes - 4_500 - 40 * elements)),
    )


def _make_placement(family: Family, rng: Random) -> Placement:
    old = family == "tables"
    return Placement(
        sidebar=rng.choices(("left", "right", "none"), (25, 42, 33))[0],
        related=rng.choices(("inside", "end", "after", "none"), (8, 15, 52, 25))[0],
        share=rng.choices(("top", "end", "none"), (20, 25, 55))[0],
        consent=rng.choices(("top", "bottom", "none"), (15, 35, 50) if not old else (2, 3, 95))[0],
        newsletter=rng.choices(("inside", "after", "footer", "none"), (6, 14, 15, 65))[0],
        advert_every=rng.choices((0, 3, 4, 6), (55, 10, 15, 20))[0],
        hidden_menu=rng.random() < 0.3,
        crumbs=rng.random() < 0.5,
        author_box=rng.random() < 0.3,
        comments=rng.random() < 0.45,
        pager=rng.random() < 0.5,
        tags=rng.random() < 0.6,
    )
