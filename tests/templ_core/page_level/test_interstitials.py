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
STORY = "<p>The council met on Monday, and it said that the bridge stays open until June.</p>"
PAGES = {
    "error-page": [
        ("Nothing Found", "<h1>Nothing Found</h1><p>We can’t find what you’re looking for."),
        ("The Daily", "<p>Sorry, the page you requested could not be found."),
        ("Die Zeitung", "<h2>Diese Seite existiert nicht</h2><p>Vielleicht hilft die Suche."),
        ("El Diario", "<h1>Página no encontrada</h1><p>El enlace que siguió está roto."),
        ("The Daily", "<h1>Oops! This article is no longer available.</h1>"),
        ("The Daily", "<h1>We’ll be back soon!</h1><p>Our site is down for maintenance."),
        ("The Daily", "<h2>Something went wrong</h2><p>Please try again later."),
        ("The Daily", "<p>Oh dear: PAGE NOT FOUND."),
        ("Die Zeitung", "<p>Fehler: Seite nicht gefunden"),
    ],
    "bot-wall": [
        ("Just a moment...", "<p>Checking your browser before you reach example.com."),
        ("example.com", "<p>Please verify you are a human.<div class=g-recaptcha></div>"),
        ("example.com", "<div id=px-captcha></div><p>Reference 1f2e3d"),
        ("example.com", "<p>One moment: Checking if the site connection is secure"),
        ("example.com", "<p>To go on, complete the security check to access example.com"),
        ("example.com", "<p>It helps us to prove that you’re not a bot."),
        ("example.com", "<p>Please enable JavaScript and cookies to continue"),
        ("example.com", "<p>Please Enable JS and disable any ad blocker"),
        ("example.com", "<p>Please press & hold to confirm that it is you"),
        ("example.com", "<p>We have detected unusual traffic from your network"),
    ],
    "consent-wall": [
        ("The Daily", "<h1>Before you continue</h1><p>We use cookies.<button>Accept all</button>"),
        ("Die Zeitung", "<h2>Mit Werbung weiterlesen</h2><button>Akzeptieren und weiter</button>"),
    ],
    "log-in": [
        ("The Daily", "<h1>Sign in to your account</h1><label>Email<input></label>"),
        ("The Daily", "<p>Kennwort<input id=user_pass type=password>"),
        ("Board message", "<p>You must be logged in to view this forum."),
    ],
    "paywall": [
        ("The bridge", f"<h1>The bridge</h1>{STORY * 4}<h3>Subscribe to continue reading</h3>"),
        ("Le pont", f"<h1>Le pont</h1>{STORY * 4}<p>Cet article est réservé aux abonnés."),
    ],
}
"""Title and content of pages by the warning that they get."""


@pytest.mark.parametrize(
    ("warning", "title", "content"),
    [(warning, *page) for warning, pages in PAGES.items() for page in pages],
)
def test_what_came_instead_of_a_page_is_named(warning, title, content):
    for body in (content, TEMPLATE.format(content)):
        warnings = clean(f"<title>{title}</title>{body}", "https://example.com/a").warnings
        assert warning in warnings
        assert ("gate" in warnings) == (warning in {"bot-wall", "consent-wall", "log-in"})


def test_pages_among_much_template_are_named_by_what_is_kept():
    menu = "".join(f"<li><a href=/{number}>Section {number} of it</a>" for number in range(60))
    page = f"<title>Page not found | The Daily</title><nav><ul>{menu}</ul></nav><h1>Page not found</h1>"
    with SiteCleaner() as cleaner:
        for number in range(12):
            story = f"<title>Story {number}</title><nav><ul>{menu}</ul></nav><h1>{number}</h1>"
            text = "".join(f"<p>Story {number} says this in part {part}." for part in range(20))
            cleaner.clean(story + text, f"https://example.com/{number}")
        assert cleaner.clean(page, "https://example.com/lost").warnings[-1] == "error-page"


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
    pages = [page for warning in PAGES if warning != "paywall" for page in PAGES[warning]]
    with SiteCleaner() as cleaner:
        for number, (title, content) in enumerate(pages):
            cleaner.clean(f"<title>{title}</title>{content}", f"https://example.com/{number}")
        assert cleaner.sites() == []


def test_long_pages_are_not_judged_by_their_title():
    assert stands_for_page(parse_document("<title>Log in</title><p>text", ""), 500) is None
