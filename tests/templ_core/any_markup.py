"""Generated markup, however broken."""

from hypothesis import strategies as st

TAGS = (
    "a", "a href=/x", "article", "b", "br", "button", "div", "em", "h1", "h2", "hr", "img", "input", "label",
    "li", "main", "map", "math", "meta", "option", "p", "pre", "script", "section", "select", "span", "style",
    "svg", "table", "td", "template", "textarea", "title", "tr", "ul", "x-own", "x-other", "o:p", "sup", "rt", "rp",
    "noscript", "object", "link", "progress", "formula", "dialog",
)  # fmt: skip
ATTRIBUTES = (
    "class='a b'", "class=a\u00e9", "class", "class='x7 y'", "class='odd entry'", "id=x", "role=main",
    "itemprop='n&amp;m'", "hidden", "aria-hidden=true", "aria-hidden=false", "style='display : none'",
    "style='DISPLAY:NONE'", "style='color:red'", "style=v\u0131sibility:hidden", "style='visibility:\u00a0hidden'",
    "href=/a", "href=//EXAMPLE.com/", "href=https://other.org", "href='http:nowhere'", "href=#a",
    "href=javascript:x", "href=https://\u00c9xample.com", "href=http://example.com", "lang=de",
    "property=og:title content='a  b'", "property=og:title", "role=tooltip", "class='a tooltiptext'", "class=tooltip", "class='a sr-only'", "class=hidden", "class=modal hidden",
    "role=dialog style='display:none'", "style='opacity: 0'", "style='opacity:0;transition:1s'", "style='font-size:0'",
    "style='max-height:0;overflow:hidden'", "style='height:0;float:left;overflow:hidden'", "style='FONT: 0/0 a'", "style='font-size:9px'",
    "style=display:block", "style='display: table-cell'", "style=display:table-row", "open",
)  # fmt: skip
TEXTS = st.sampled_from(
    [
        "word", " ", "two words", "\n", "\t", "\u00a0", "a\u2003b", "&nbsp;", "\u00e9t\u00e9", "&#11;",
        "\u4e2d\u6587", "\u0e01", "\U00020000", "\U0001f600", "_", "...", "&amp;", "\r\n  x \r\n", "&#xD800;",
        "<!-- no -->", "<?pi?>", "<![CDATA[x]]>", "&unknown;", "&#x1c;", "\U000e0100", "\x85",
        "&shy;", "zero\u200bwidth", "\ufeff", "\u2022", " \u2022word", "\u00b7", "\u00b7 word", "10", "6", "-2", "\u00b6", "#", "(", "\uff08",
    ]
)  # fmt: skip


def any_markup(texts=TEXTS, *, tags=TAGS, attributes=ATTRIBUTES, pieces_max=40):
    """Return a strategy of markup: tags with up to three attributes, ends of tags, and texts between them."""
    names, several = st.sampled_from(tags), st.lists(st.sampled_from(attributes), max_size=3)
    pieces = st.one_of(
        texts,
        st.builds("<{} {}>".format, names, several.map(" ".join)),
        names.map(lambda tag: f"</{tag.split()[0]}>"),
    )
    return st.lists(pieces, max_size=pieces_max).map("".join)
