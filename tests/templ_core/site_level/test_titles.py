import pytest

from templ_core import SiteCleaner, clean
from templ_core.dom.document import parse_document
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.titles import NO_ENDS, TitleEnds, shared_ends, title_ends
from tests.templ_core.site_level.builders import CONFIG, site_model

SUBJECTS = (
    *("Boats of old", "Ice on the river", "A new mayor", "Locks and keys", "Late ferries"),
    *("Nets for rent", "Where to moor", "Lost oars", "The flood", "Wind and weather"),
)
TEXT = "It was {subject} that they spoke of on the quay, number {n}, and nobody had heard of it before. "


def page(title, number=0):
    story = "".join(f"<p>{TEXT.format(subject=title, n=number * 9 + k) * 3}" for k in range(4))
    return f"<title>{title}</title><div class=menu><a href=/>Index</a></div><main>{story}</main>"


def ends_of(*titles):
    return shared_ends([(one, title_ends(one)) for one in titles])


@pytest.mark.parametrize(
    ("form", "ends"),
    [
        ("Thema anzeigen - {}", (["Thema anzeigen - "], [])),
        ("{} | Reeds", ([], [" | Reeds"])),
        ("Reeds: {} — Manual", (["Reeds: "], [" — Manual"])),
        ("Reeds • View topic - {}", (["Reeds • ", "Reeds • View topic - "], [])),
        ("{} in the reeds", ([], [])),
    ],
)
def test_what_titles_begin_and_end_with(form, ends):
    titles = [form.format(one) for one in SUBJECTS]
    assert ends_of(*titles) == ends_of(*reversed(titles)) == TitleEnds(*ends)
    assert ends_of(*titles[:3]) == ends_of(*titles[:1] * 9) == ends_of("", "") == NO_ENDS


def test_what_few_titles_share_is_no_end_of_the_site():
    others = [f"{one} {number} of" for number in range(2) for one in SUBJECTS]
    assert ends_of(*[f"Opinion: {one}" for one in SUBJECTS[:4]], *others) == NO_ENDS


def test_pages_of_a_listing_count_once():
    assert ends_of(*[f"Sales jobs - Page {number}" for number in range(40)]) == NO_ENDS


def test_long_titles_and_titles_of_many_parts_are_bounded():
    many = " - ".join(map(str, range(40)))
    assert [len(side) for side in title_ends(many)] == [4, 4]
    assert title_ends("word - " * 10_000) == ((), ())


@pytest.mark.parametrize(
    ("title", "headline"),
    [
        ("View topic - Boats | Reeds", "Boats"),
        ("View topic - | Reeds", "View topic - | Reeds"),
        ("Boats - View topic", "Boats - View topic"),
        ("Reeds", "Reeds"),
        ("", ""),
    ],
)
def test_a_title_loses_its_ends_unless_nothing_is_left(title, headline):
    assert TitleEnds(["View topic - "], [" | Reeds"]).without(title) == headline


def test_a_model_knows_the_titles_of_its_window():
    model = site_model(
        [parse_document(page(f"Thema anzeigen - {one}"), "") for one in SUBJECTS[:6]]
    )
    assert model.titles.beginnings == ["Thema anzeigen - "]
    stored = encode_site_model(model, CONFIG.site_model_bytes)
    assert decode_site_model(stored).titles == model.titles


@pytest.mark.parametrize(
    "form", ["Thema anzeigen - {}", "Reeds • Thema anzeigen - {}", "{} » Reeds"]
)
def test_a_known_site_takes_its_ends_out_of_headlines(form):
    cleaner = SiteCleaner()
    for number, subject in enumerate(SUBJECTS):
        markup, url = page(form.format(subject), number), f"https://a.example/{number}"
        title = cleaner.clean(markup, url).metadata.title
    assert title == SUBJECTS[-1]
    assert clean(markup, url).metadata.title == form.format(SUBJECTS[-1])
    with_heading = markup.replace("<main>", f"<main><h1>{form.format('Boats')}</h1>")
    with_heading = with_heading.replace(
        f"<title>{form.format(SUBJECTS[-1])}", f"<title>{form.format('Boats')}"
    )
    assert cleaner.clean(with_heading, "https://a.example/h").metadata.title == form.format("Boats")
