"""Generated pages of a site that repeats text inside its content in many ways."""

from random import Random

from templ_core.dom.document import parse_document
from templ_core.tokens import tokenise

WORDS = tokenise(
    "harbour council winter bridge market story people river morning window "
    "garden letter engine summer teacher village doctor island forest kitchen"
)
NAMES = ["Mary", "Poe", "Jo", "Lee", "Ann", "Day", "Max", "Roe"]


def sentence(rng, words=14):
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def changing(rng):
    return (
        f"This notice was written for all of our readers by {rng.choice(NAMES)} {rng.choice(NAMES)} on "
        f"{rng.randint(1, 28)} {rng.choice(('March', 'mai', 'May'))} {rng.randint(1999, 2026)}"
    )


def page(number):
    """A page whose blocks repeat what others have: whole, in part, in runs, as teasers, in a heading."""
    rng = Random(number)
    asks = "We ask all readers of this paper to tell us what they think of it by letter."
    answers = "Whatever they write is read by somebody who answers before the week is over!"
    own = [sentence(rng, rng.randint(4, 20)) for _ in range(12)]
    blocks = [
        f"<p>{own[0]} {own[1]} {own[2]}",
        f"<p>{own[3]} {asks} {own[4]} {own[5]}",
        f"<p>{changing(rng)}. {own[6]}<br>{own[7]}",
        f"<p>{asks} Yes. {answers} {own[8]} {own[9]}",
        f"<h2>{asks}</h2>",
        f"<pre>{answers}</pre>",
        f"<p>{answers}",
        f"<p>The next part tells how the long story of the island began.<p>{own[10]}",
        f"<div>{own[11]}</div>",
    ]
    blocks.append(
        f"<p>Read here what else we wrote in these weeks about the {rng.choice(WORDS)} of our town, and what "
        f"came of it in the end, as told by the {rng.choice(WORDS)} who was there from the first day on."
    )
    kept = [one for one in blocks if rng.random() < 0.7]
    rng.shuffle(kept)
    teaser = "<p>The teaser of part one stands here.<p>It goes on on every page of this very series.<p>End."
    body = "".join(kept) + (teaser if number % 9 == 0 else "")
    return parse_document(
        f"<title>{number}</title><body><nav><a href=/>Home</a> <a href=/news>All the news</a></nav>"
        f"<article><h1>{sentence(rng)}</h1>{body}</article><footer>All rights reserved</footer>",
        "https://paper.example/",
    )
