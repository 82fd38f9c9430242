"""What HTML's tags mean for the text inside and around them."""


def names(text: str) -> frozenset[str]:
    """Return the names of tags that stand in a text with blanks between them."""
    return frozenset(text.split())


BLOCKS = names(
    """
    address article aside blockquote body caption center col colgroup dd details dir div dl dt
    fieldset figcaption figure footer form formula-block h1 h2 h3 h4 h5 h6 head header hgroup hr html
    legend li listing main menu nav ol optgroup option p plaintext pre search section summary table
    tbody td tfoot th thead tr ul xmp
    """
)
"""Tags that end a run of text where they begin and where they end, as in browsers."""

INLINE = names(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font formula i img input ins kbd label mark
    nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr br
    """
)
"""Tags that never end a run of text; `formula` is our own, see `templ_core.dom.parse.embedded`."""

EMPTY = names(
    "area base basefont bgsound embed frame image keygen link meta nextid param source spacer track"
)
"""Tags of elements without content that show no text; they do not end a run of text either."""

CONTROLS = names("button select")
"""Tags of what a visitor may press or choose: words of their own, apart from those beside them."""

STANDS_ALONE = CONTROLS | names("dialog noscript object")
"""Tags that stay in a run of text only where the element around them has text of its own on both sides.

So does every tag in none of these tables, unless it stands in one of `PHRASES`: by its name alone nobody knows
whether `x-comment` is a block or `x-term` a part of a sentence.
"""

PHRASES = names("p h1 h2 h3 h4 h5 h6 pre caption legend summary")
"""Tags of blocks that cannot hold other blocks, so that a tag which nobody knows stands in their text."""

INVISIBLE = names(
    """
    script style template title iframe svg textarea math canvas audio video datalist meter noembed
    noframes progress
    """
)
"""Tags whose content is not text of the page, and that do not end a run of text.

`head` is not among them, because the parser leaves in it all that follows a head without an end tag:
sometimes the whole page.
"""

RAW_TEXT = names("script style title iframe textarea noembed noframes xmp")
"""Tags whose content is text without tags, as the parser reads it."""

HOLDS_HTML = names("foreignobject desc mi mo mn ms mtext annotation-xml")
"""Tags inside `svg` and `math` whose content is HTML again, but for `title`."""

STARTS_HTML = names(
    """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
    listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
    """
)
"""Tags that end `svg` and `math` where they begin (HTML standard, section 13.2.6.5)."""

ENDS_HTML = STARTS_HTML | names(
    """
    html article aside button caption cite details dialog fieldset figcaption figure footer form
    header label main nav noscript option section select summary tbody td tfoot th thead tr
    """
)
"""Tags that no element inside `svg` or `math` has, so that their end tags end these, too."""

SPACE_AFTER = CONTROLS | names(
    "img input label svg iframe textarea canvas audio video object embed meter progress"
)
"""Tags that separate the words before and after them, although they do not end a run of text."""

IMAGES = names("img amp-img amp-anim")
"""Tags of images."""

ANCHORS = frozenset("¶#§🔗")
"""Signs by which readers find out the address of a place on the page."""

MARKED = IMAGES | names(
    "a b strong i em code kbd samp tt sub sup del s strike formula formula-block"
)
"""Tags whose places in the text are noted for Markdown, cleaned HTML and links."""

CELLS = names("td th")
"""Tags of table cells."""

TABLE_PARTS = CELLS | names("caption col colgroup tbody tfoot thead tr")
"""Tags that mean nothing outside a table: browsers ignore them there."""

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
"""The heading tags and their levels, 1 to 6."""

WHOLE_PAGE = frozenset(("html", "body", "main"))
"""Elements around the whole page, whose names say nothing about a part of it."""
