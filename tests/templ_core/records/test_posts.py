"""The posts of threads: their texts, authors and days, in the layouts that boards have."""

import subprocess
import sys

import numpy as np
import pytest

from templ_core import CleanerOptions, clean
from templ_core.dom.document import parse_document
from templ_core.records.read_records import read_records
from templ_core.records.records import RECORDS_MAX, Post

URL = "https://board.example/viewtopic.php?t=7"
TEXTS = (
    "Does anybody know when the old bridge over the river is opened again after the flood of last spring?",
    "They told us at the town hall that the work on the bridge goes on until the end of the summer.",
    "I walked past it on Sunday, and the workers had put up a second crane beside the northern pier.",
    "Then we shall have to drive through the valley for another year, as we did when it was built.",
)
NAMES = ("Ann", "bob_77", "Ann", "Carla Nova")
DAYS = ("2024-02-11", "2024-02-25", "2024-03-02", "2024-03-09")
FORUM = '<script type=application/ld+json>{"@type": "DiscussionForumPosting"}</script>'
MENU = "<nav><ul><li><a href=/>Board</a><li><a href=/search>Search</a><li><a href=/faq>Help</a></ul></nav>"


def posts_of(body, language="en"):
    html = f"<html lang={language}><title>The bridge</title>{FORUM}{MENU}<h1>The bridge</h1>{body}"
    return clean(html, URL, CleanerOptions(with_records=True)).records.posts


def thread(layout, names=NAMES, days=DAYS, texts=TEXTS):
    rows = zip(range(len(texts)), names, days, texts, strict=True)
    return "".join(layout.format(n=n, name=name, day=day, text=text) for n, name, day, text in rows)


EXPECTED = [
    Post(text=text, author=name, date_published=day)
    for text, name, day in zip(TEXTS, NAMES, DAYS, strict=True)
]
LAYOUTS = {
    "articles with named elements": (
        "<article class=post id=p{n}><div class=head><span class=author>{name}</span> <span class=date>{day}"
        " 10:12 UTC</span></div><div class=text>{text}</div></article>"
    ),
    "two cells of a row, a row of buttons, and an empty row": (
        "<tr><td class=row{n}><span class=name><b>{name}</b></span><br><br>Joined: 3 May 2019<br>Posts: {n}</td>"
        "<td><table><tr><td>Posted: {day}</td></tr><tr><td colspan=2><span>{text}</span></td></tr></table></td></tr>"
        "<tr><td><a href=#top>Back to top</a></td></tr><tr><td></td></tr>"
    ),
    "a head that is a sibling of its post": (
        "<div class=reply-header id=post-{n}><span>{day} at 11:22 pm</span> <a href=#post-{n}>#{n}</a></div>"
        "<div class='reply odd'><div class=who><a href=/profile/{n}/>{name}</a><div>Participant</div></div>"
        "<div class=what><p>{text}</div></div>"
    ),
    "links to profiles": (
        "<div class=post><a href=/members/{n}><img src=a.png></a><a href=/members/{n}>{name}</a>"
        "<time datetime={day}>some days ago</time><blockquote>{text}</blockquote><a href=/reply/{n}>Reply</a></div>"
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_posts_of_a_thread_are_found(layout):
    body = thread(LAYOUTS[layout])
    assert (
        posts_of(f"<table>{body}</table>" if layout.startswith("two cells") else body) == EXPECTED
    )


def test_a_post_of_a_guest_has_the_name_that_stands_where_the_others_have_theirs():
    layout = LAYOUTS["a head that is a sibling of its post"]
    first, second = (
        thread(layout),
        thread(layout, NAMES[:1], ["2024-03-10"], ["Let us hope for the best then, neighbours."]),
    )
    guest = second.replace("<a href=/profile/0/>Ann</a>", "Passer-by")
    posts = posts_of(first + guest)
    assert [post.author for post in posts] == [*NAMES, "Passer-by"]


def test_signatures_stand_apart():
    named = "<div class=post><b class=author>{name}</b> {day}<p>{text}</p><div class=signature>Sent from {name}</div></div>"
    assert posts_of(thread(named))[1] == Post(
        text=TEXTS[1], author="bob_77", date_published=DAYS[1], signature="Sent from bob_77"
    )
    ruled = "<div class=post><b class=author>{name}</b> {day}<div>{text}<br>__________<br>Sent from {name}</div></div>"
    posts = posts_of(thread(ruled))
    assert [(post.text, post.signature) for post in posts] == [
        (text, f"Sent from {name}") for text, name in zip(TEXTS, NAMES, strict=True)
    ]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (
            ("03-02-2024", "03-02-2024", "25-02-2024", "05-03-2024"),
            ["2024-02-03", "2024-02-03", "2024-02-25", "2024-03-05"],
        ),
        (
            ("2/3/2024", "2/25/2024", "3/5/2024", "3/6/2024"),
            ["2024-02-03", "2024-02-25", "2024-03-05", "2024-03-06"],
        ),
        (("2/3/2024", "2/4/2024", "3/5/2024", "3/6/2024"), [None] * 4),
    ],
)
def test_one_day_above_twelve_tells_the_order_of_all(days, expected):
    posts = posts_of(thread(LAYOUTS["articles with named elements"], days=days))
    assert [post.date_published for post in posts] == expected


def test_a_thread_may_have_a_single_post():
    body = thread(LAYOUTS["links to profiles"], NAMES[:1], DAYS[:1], [" ".join(TEXTS)])
    assert posts_of(body) == [Post(text=" ".join(TEXTS), author="Ann", date_published=DAYS[0])]


def test_a_list_of_threads_has_no_posts():
    layout = (
        "<div class=thread><a href=/t/{n}>{text}</a> by <a href=/members/{n}>{name}</a> {day}</div>"
    )
    assert posts_of(thread(layout)) == []


@pytest.mark.parametrize(("kind", "count"), [("article", 0), ("forum", 4)])
def test_only_threads_have_posts(kind, count):
    page = parse_document(thread(LAYOUTS["articles with named elements"]), URL, with_marks=True)
    kept = np.ones(len(page.segments.texts), np.bool_)
    records = read_records(page, kept, URL, times=(), language="", kind=kind)
    assert len(records.records.posts) == count


def test_a_page_of_ten_thousand_posts_is_cut():
    count = 10 * RECORDS_MAX
    body = thread(
        "<div class=post><b class=author>{name}</b><p>{text}</p></div>",
        [f"Ann {n}x" for n in range(count)],
        [""] * count,
        [f"Text {n} says that the bridge is open." for n in range(count)],
    )
    cleaned = clean(FORUM + body, URL, CleanerOptions(with_records=True))
    assert len(cleaned.records.posts) == RECORDS_MAX
    assert "records-cut" in cleaned.warnings
    assert cleaned.records.posts[-1].author == f"Ann {RECORDS_MAX - 1}x"


def test_records_that_nobody_asks_for_cost_no_import():
    code = (
        "import sys; from templ_core import clean; page = clean('<p>A ferry sank in the harbour.');"
        "print(page.records, [one for one in sys.modules if one.startswith('templ_core.records.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None ['templ_core.records.records']\n"
