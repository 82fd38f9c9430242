"""Pages that came instead of the requested one, with the template of their site around them and without."""

import pytest

from templ_core import SiteCleaner, clean
from templ_core.dom.document import parse_document
from templ_core.page_level.interstitials import stands_for_page

TEMPLATE = (
    "<nav>"
    + "".join(f"<a href=/{name}>{name.title()}</a> " for name in ("news", "sports", "culture"))
    + "</nav>{}<footer><p>© 2026 The Daily. All rights reserved. <a href=/terms>Terms of use</a></footer>"
)
STORY = (
    "<p>The council met on Monday, and it said that the bridge stays open until the end of May.</p>"
)
PAGES = {
    "a search without hits": (
        "error-page",
        "<title>Nothing Found – The Daily</title>",
        "<h1>Nothing Found</h1><p>It seems we can’t find what you’re looking for.</p>",
    ),
    "not found in words": (
        "error-page",
        "<title>The Daily</title>",
        "<p>Sorry, the page you requested could not be found.</p>",
    ),
    "not found in German": (
        "error-page",
        "<title>Die Zeitung</title>",
        "<h2>Diese Seite existiert nicht</h2><p>Vielleicht hilft die Suche.</p>",
    ),
    "not found in Spanish": (
        "error-page",
        "<title>El Diario</title>",
        "<h1>Página no encontrada</h1><p>El enlace que siguió está roto.</p>",
    ),
    "an article that was removed": (
        "error-page",
        "<title>The Daily</title>",
        "<h1>Oops! This article is no longer available.</h1>",
    ),
    "maintenance": (
        "error-page",
        "<title>The Daily</title>",
        "<h1>We’ll be back soon!</h1><p>Our site is down for maintenance.</p>",
    ),
    "a server's failure": (
        "error-page",
        "<title>The Daily</title>",
        "<h2>Something went wrong</h2><p>Please try again later.</p>",
    ),
    "a check of the browser": (
        "bot-wall",
        "<title>Just a moment...</title>",
        "<p>Checking your browser before you reach example.com.</p>",
    ),
    "a captcha": (
        "bot-wall",
        "<title>example.com</title>",
        "<p>Please verify you are a human.</p><div class=g-recaptcha></div>",
    ),
    "a challenge without words": (
        "bot-wall",
        "<title>example.com</title>",
        "<div id=px-captcha></div><p>Reference 1f2e3d</p>",
    ),
    "consent before a page": (
        "consent-wall",
        "<title>The Daily</title>",
        (
            "<h1>Before you continue</h1><p>We use cookies to measure how our pages are used.</p>"
            "<button>Accept all</button>"
        ),
    ),
    "consent or pay": (
        "consent-wall",
        "<title>Die Zeitung</title>",
        (
            "<h2>Mit Werbung weiterlesen</h2><p>Besuchen Sie uns wie gewohnt mit Werbung und Tracking."
            "</p><button>Akzeptieren und weiter</button>"
        ),
    ),
    "a log-in with its heading": (
        "log-in",
        "<title>The Daily</title>",
        "<h1>Sign in to your account</h1><label>Email<input></label>",
    ),
    "a log-in without words": (
        "log-in",
        "<title>The Daily</title>",
        "<label>Name<input id=user></label><label>Kennwort<input id=user_pass type=password></label>",
    ),
    "a forum for members": (
        "log-in",
        "<title>Board message</title>",
        "<p>You must be logged in to view this forum.</p>",
    ),
    "the beginning of an article": (
        "paywall",
        "<title>The bridge stays open | The Daily</title>",
        f"<h1>The bridge stays open</h1>{STORY * 4}<h3>Subscribe to continue reading</h3>",
    ),
    "the beginning of an article in French": (
        "paywall",
        "<title>Le pont reste ouvert</title>",
        f"<h1>Le pont reste ouvert</h1>{STORY * 4}<p>Cet article est réservé aux abonnés.</p>",
    ),
}
"""The warning, the title and the content of each kind of page."""


@pytest.mark.parametrize("name", PAGES)
def test_what_came_instead_of_a_page_is_named(name):
    warning, title, content = PAGES[name]
    for page in (title + content, title + TEMPLATE.format(content)):
        found = clean(page, "https://example.com/a").warnings
        assert warning in found
        assert ("gate" in found) == (warning in {"bot-wall", "consent-wall", "log-in"})


def test_pages_among_much_template_are_named_by_what_is_kept():
    menu = "".join(f"<li><a href=/{number}>Section {number} of it</a>" for number in range(60))
    page = f"<title>Page not found | The Daily</title><nav><ul>{menu}</ul></nav><h1>Page not found</h1>"
    with SiteCleaner() as cleaner:
        for number in range(12):
            story = (
                f"<title>Story {number}</title><nav><ul>{menu}</ul></nav><h1>Story {number}</h1>"
            )
            text = "".join(f"<p>Story {number} says this in part {part}." for part in range(20))
            cleaner.clean(f"https://example.com/{number}", story + text)
        assert cleaner.clean("https://example.com/lost", page).warnings[-1] == "error-page"


@pytest.mark.parametrize(
    ("title", "content"),
    [
        ("Nothing found in the lake", "<p>Divers searched for days and came back without it."),
        ("Signs of spring", "<p>Spring came early, and the gardens show it."),
        ("Loging in the north", "<p>The forests of the north and who cuts them."),
        ("Bridge opens", STORY + "<p>You must be logged in to post a comment."),
        ("Bridge opens", STORY + "<nav><a href=/login>Log in</a></nav>"),
        ("Contact", "<h1>Contact</h1><p>Write to us.<div class=g-recaptcha></div>"),
        ("A thread", "<form style='display: none'><input id=password></form>" + STORY),
        ("Boards", "<ul><li>404-Error in Help<li>Installing the viewer</ul>" + STORY),
        ("A module", "<div>569</div><p>Votes for a module that scrolls."),
        ("404 people came", "<p>The hall was full when the council met."),
        ("The Daily", "<h3>Subscribe to our newsletter</h3>" + STORY),
        ("Bridge opens", STORY * 20 + "<p>Subscribe to continue reading"),
    ],
)
def test_other_pages_are_not_named(title, content):
    assert clean(f"<title>{title}</title>{content}", "https://example.com/a").warnings == []


def test_nothing_is_learned_from_what_came_instead_of_a_page():
    with SiteCleaner() as cleaner:
        for number, name in enumerate(PAGES):
            if PAGES[name][0] != "paywall":
                cleaner.clean(f"https://example.com/{number}", "".join(PAGES[name][1:]))
        assert cleaner.sites() == []


def test_long_pages_are_not_judged_by_their_title():
    assert stands_for_page(parse_document("<title>Log in</title><p>text", ""), 500) is None
