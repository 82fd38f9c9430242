"""Texts without a word are shown with the text that they belong to, and cells that belong together stand in a line."""

import numpy as np
import pytest

from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.dom.kept_text import render_text
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline

URL = "https://example.com/"


def text(markup, removed=()):
    document = parse_document(markup, URL)
    kept = np.array([one not in removed for one in document.segments.texts])
    stored = decode_document(compress_columns(document_columns(document)))
    text = render_text(document, kept)
    assert render_text(stored, kept) == text
    return text


TABLE = "<table><tr><th>Part<th>Steel<th>Oak<tr><td>Piers<td>✓<td>✗<tr><td>Deck<td>–<td>✓</table>"


@pytest.mark.parametrize(
    ("markup", "removed", "shown"),
    [
        (TABLE, (), "Part\tSteel\tOak\nPiers\t✓\t✗\nDeck\t–\t✓"),
        (TABLE, ("Deck",), "Part\tSteel\tOak\nPiers\t✓\t✗"),
        ("<table><tr><td>Taste<td>★★★☆☆</table>", (), "Taste\t★★★☆☆"),
        ("<dl><dt><code>&&</code><dd>and<dt>||<dd>or</dl>", (), "&&\nand\n||\nor"),
        ("<dl><dt>&&<dd>and<dt>||<dd>or</dl>", ("or",), "&&\nand"),
        ("<dl><dt>Rating<dd>★★★<dt>Price<dd>€€</dl>", ("Rating",), "Price\n€€"),
        ("<p>One.</p><p>* * *</p><p>Two.</p>", (), "One.\n* * *\nTwo."),
        ("<p>One.</p><p>* * *</p><p>Two.</p>", ("Two.",), "One."),
        ("<nav><ul><li>Home<li>|<li>News</ul></nav><p>One.", ("Home", "News"), "One."),
        ("<p>One.</p><button>×</button><p>Two.</p>", (), "One.\nTwo."),
        ("<p>One.</p><div><a href=/2>»</a></div><p>Two.</p>", (), "One.\nTwo."),
        (
            "<dl><dt><a href=/plus>+</a><dd>sum<dt><a href=#minus>-</a><dd>gap</dl>",
            (),
            "+\nsum\ngap",
        ),
        ("<table><tr><td><a href=/and>&amp;</a><td>both</table>", (), "&\tboth"),
        ("<p>One.</p><p>&shy;&#8203;</p><p>Two.</p>", (), "One.\nTwo."),
        ("<p>★★★</p>", (), ""),
    ],
)
def test_a_sign_is_shown_with_the_text_that_it_belongs_to(markup, removed, shown):
    assert text(markup, removed) == shown


def test_markdown_has_signs_and_their_marks():
    page = parse_document(
        TABLE + "<dl><dt><code>&&</code><dd>and <b>so on</b></dl>", URL, with_marks=True
    )
    kept = np.ones(len(page.segments.texts), bool)
    markdown = render_markdown(Outline(page, kept, None, URL))
    assert "| Piers | ✓ | ✗ |" in markdown
    assert "`&&`" in markdown
    assert "and **so on**" in markdown


def row(*cells, names="class='spec row'"):
    return f"<div {names}>{''.join(f'<div>{cell}</div>' for cell in cells)}</div>"


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        (row("Weight", "1 kg") + row("Colour", "blue"), "Weight\t1 kg\nColour\tblue"),
        (row("Oak", "✓", names="role=row") + row("Ash", "✗", names="role=row"), "Oak\t✓\nAsh\t✗"),
        (
            row("Weight", "<p><span>1</span> kg</p>") + row("Colour", "blue"),
            "Weight\t1 kg\nColour\tblue",
        ),
        (row("Weight", "1 kg") + row("Colour"), "Weight\n1 kg\nColour"),
        (row("Weight", "1 kg"), "Weight\n1 kg"),
        (row("a" * 101, "b") + row("c", "d"), "a" * 101 + "\nb\nc\nd"),
        (row("a", "b<p>c</p>") + row("d", "e"), "a\nb\nc\nd\ne"),
        (row("a", "b", names="class=rowan") * 2, "a\nb\na\nb"),
    ],
)
def test_short_texts_in_elements_that_are_rows_by_name_and_repeat_stand_in_a_line(markup, shown):
    assert text(f"<main>{markup}</main><p>Behind.") == shown + "\nBehind."
