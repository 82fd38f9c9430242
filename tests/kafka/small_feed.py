"""A feed of small synthetic pages: the stream is to work, not the parser."""

from random import Random

import msgspec

WORDS = [
    begin + end
    for begin in ("mar", "ter", "sol", "vin", "gar", "pel")
    for end in ("ket", "mine", "dow", "ver", "ning", "tal", "son")
]
START_MS = 1_767_571_200_000
STEP_MS = 40_000
_MENU_ENTRIES = 8
_PARAGRAPHS = 4


def write_small_feed(
    path, *, pages, sites, seed, again_share=0.0, gone_share=0.0, redesign_share=0.0
):
    """Write records of pages of about 1.7 kB in order of their event time; answers the path.

    Args:
        path: File to write.
        pages: Number of records.
        sites: Number of sites, each with a menu and a foot of its own.
        seed: The same gives the same feed; a longer one begins with the shorter one.
        again_share: Share of the records that are a known page, fetched again.
        gone_share: Share of the records that say that a known page is gone.
        redesign_share: Share of the records from which on a site has another menu and other elements.
    """
    rng = Random(seed)
    menus = [[_words(rng, 2) for _ in range(_MENU_ENTRIES)] for _ in range(sites)]
    counts, designs = [0] * sites, [0] * sites
    with path.open("wb") as file:
        for number in range(pages):
            site = rng.randrange(sites)
            fate = rng.random()
            is_known = counts[site] > 0 and fate < again_share + gone_share
            article = rng.randrange(counts[site]) if is_known else counts[site]
            counts[site] += not is_known
            if redesign_share and rng.random() < redesign_share:
                menus[site] = [_words(rng, 2) for _ in range(_MENU_ENTRIES)]
                designs[site] += 1
            record = {
                "url": f"https://site-{site}.example/{article}",
                "fetched_at": START_MS + number * STEP_MS,
                "html": _page(rng, menus[site], designs[site] or ""),
            }
            if is_known and fate < gone_share:
                record["status"] = 410
            file.write(msgspec.json.encode(record) + b"\n")
    return path


def _page(rng, menu, design):
    entries = "".join(f'<li><a href="/{n}">{name}</a></li>' for n, name in enumerate(menu))
    article = "".join(f"<p>{_sentences(rng, 3)}</p>" for _ in range(_PARAGRAPHS))
    return (
        f"<html><head><title>{_words(rng, 6)}</title></head><body>"
        f'<div class="menu{design}"><ul>{entries}</ul></div>'
        f'<div class="story{design}"><h1>{_words(rng, 6)}</h1>{article}</div>'
        f'<div class="foot{design}"><p>{menu[0]} and {menu[1]}: all rights reserved by {menu[2]}.</p></div>'
        "</body></html>"
    )


def _sentences(rng, number):
    return " ".join(f"{_words(rng, rng.randint(8, 16))}." for _ in range(number))


def _words(rng, number):
    return " ".join(rng.choice(WORDS) for _ in range(number)).capitalize()
