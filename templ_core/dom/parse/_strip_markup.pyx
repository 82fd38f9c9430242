"""Markup without what no later stage reads, so that the parser need not read it either.

Tags, attributes, comments and raw text are distinguished as libxml2 does from 2.14 on, which follows
the HTML standard (section 13.2.5). A tag or raw text that never ends is left as it is, with all that
follows it. What would hide the rest of the page from the parser, but not from a browser, is mended
on the way: see `strip_markup`.

Claims are what the markup says about its page: the tags that may say who wrote it, when, and where it
belongs. Each of them is written as the name of the tag in lower case and then the names, in lower case, and
the values of its attributes, all of them ended by the byte 2. Where its text counts, the byte 1 and the
beginning of the markup behind the tag follow. Of a script that is the whole content. A NUL ends each of them.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from templ_core._byte_string cimport Text, put, reserve
from templ_core.dom.parse._attribute_table cimport (
    ARIA_HIDDEN, CLASS, HIDDEN, HREF, ID, ITEMPROP, LABEL, MAX_LINE, ROLE, STYLE, TARGET, TableWriter,
    table_add_row, table_begin, table_end, table_next_line, table_put,
)
from templ_core.dom.parse._markup cimport (
    Attribute, FOREIGN_OBJECT_NAME, PLAINTEXT_NAME, after_byte, after_comment, after_cdata, end_of_name, end_of_raw_text,
    end_of_script, is_blank, is_letter, next_tag, packed, read_attribute, skip_blanks,
)
from templ_core.dom.parse._output cimport (
    CLOSING_BYTES, HiddenElement, HiddenElements, Output, copy_unhidden, copy_up_to, drop, drop_blanks_before,
    drop_mark, end_hidden, hide_from, in_foreign, outermost_foreign, place_of,
)
from templ_core.dom.parse._shown_values cimport (
    NUMBERS_ITEM, NUMBERS_LIST, SHOWS_IMAGE, SHOWS_SOURCE, SPANS, Shown, show, show_attribute,
)
from templ_core.dom.parse._start_tag cimport (
    CLAIMS, EMBEDDING, EMBEDS, ENDS_HTML, FONT_STYLE, HIDES, HOLDS_HTML, IS_BLOCK, IS_EMPTIED, IS_FONT, IS_FOREIGN,
    IS_LINK, IS_META, IS_PRE, IS_RAW, IS_ROOT, IS_TABLE, IS_TABLE_PART, IS_TARGET, ITEMTYPE, PROPERTY, REL,
    IS_DIALOG, RELATES, SHOWS_CLAIM, STARTS_HTML, StartTag, TYPE, TagTraits, add_traits, is_value, read_attributes,
    shows_formula, traits_of,
)

from templ_core.dom import tags

cdef enum:
    CLAIMS_MAX_BYTES = 1 << 20      # of a page; pages hold some kilobytes, JSON-LD included
    SHOWN_BYTES = 400               # behind a tag, in which its text is looked for

cdef enum:
    ADDRESS_START = 12          # bytes that show which of these it is

cdef struct Claims:
    bint are_wanted
    Text text
    Py_ssize_t base                 # where the claim of the first `base` element begins; -1 = there is none

cdef struct Stripper:
    const unsigned char *end
    Output output
    bint has_returns                # whether there are carriage returns, which the parser changes
    bint strips_blanks              # until the first `pre`
    bint joins_documents
    bint keeps_attributes
    bint keeps_targets
    bint comments_end, titles_end, cdata_ends   # False once one was found that does not
    bint has_title                  # whether a title with a text was found
    bint has_embedded               # whether a text stands where only `embedded` finds it
    bint in_body                    # whether an element that belongs to no head has begun
    int inner_roots                 # start tags of `html`, `head`, `body` and `frameset` that were left out and have not ended
    int tables                      # that are open
    TableWriter table
    HiddenElements hidden
    Claims claims


cdef uint64_t _packed_name(bytes name) noexcept:
    return packed(<const unsigned char *>PyBytes_AsString(name), PyBytes_Size(name))


cdef uint64_t SCRIPT_NAME = _packed_name(b"script"), TITLE_NAME = _packed_name(b"title")
cdef uint64_t HTML_NAME = _packed_name(b"html"), BODY_NAME = _packed_name(b"body")
cdef uint64_t BASE_NAME = _packed_name(b"base")

cdef enum:
    TITLE_END_BYTES = 8             # of "</title>"

cdef TagTraits TAGS, ATTRIBUTES


cdef void _fill_traits() noexcept:
    for names, traits in (
        (tags.BLOCKS, IS_BLOCK),
        (tags.RAW_TEXT, IS_RAW),
        (tags.RAW_TEXT & tags.INVISIBLE - {"title"}, IS_EMPTIED),
        (tags.INVISIBLE - tags.RAW_TEXT, HIDES),
        (("html", "head", "body", "frameset"), IS_ROOT),
        (("svg", "math"), IS_FOREIGN),
        (tags.HOLDS_HTML, HOLDS_HTML),
        (tags.STARTS_HTML, STARTS_HTML),
        (tags.ENDS_HTML, ENDS_HTML),
        (("a",), IS_LINK),
        (("meta",), IS_META),
        (("font",), IS_FONT),
        (("pre",), IS_PRE),
        (("dialog",), IS_DIALOG),
        (("base", "meta", "time"), CLAIMS),
        (("a", "link"), RELATES),
        (("time", "a", "span", "div", "p", "h1", "h2", "h3", "b", "strong", "td", "dd", "li"), SHOWS_CLAIM),
        (("table",), IS_TABLE),
        (tags.TABLE_PARTS, IS_TABLE_PART),
        (("math",), EMBEDS),
        (("a",), IS_TARGET),
        (tags.IMAGES, IS_TARGET | SHOWS_IMAGE),
        (("source",), IS_TARGET | SHOWS_SOURCE),
        (("ol",), IS_TARGET | NUMBERS_LIST),
        (("li",), IS_TARGET | NUMBERS_ITEM),
        (tags.CELLS, IS_TARGET | SPANS),
    ):
        for name in names:
            add_traits(&TAGS, _packed_name(name.encode()), traits)
    for name, number in (
        ("id", ID), ("class", CLASS), ("role", ROLE), ("itemprop", ITEMPROP), ("style", STYLE),
        ("href", HREF), ("hidden", HIDDEN), ("popover", HIDDEN), ("aria-hidden", ARIA_HIDDEN), ("property", PROPERTY),
        ("color", FONT_STYLE), ("face", FONT_STYLE), ("size", FONT_STYLE), ("rel", REL),
        ("type", TYPE), ("itemtype", ITEMTYPE), ("typeof", ITEMTYPE), ("srcdoc", EMBEDDING),
        ("shadowrootmode", EMBEDDING),
    ):
        add_traits(&ATTRIBUTES, _packed_name(name.encode()), number)


_fill_traits()


def strip_markup(
    bytes markup, bint joins_documents=False, bint keeps_attributes=False,
    bint keeps_targets=False, bint finds_claims=False,
):
    """Return shorter markup and a table of attributes, from which `page_columns` makes equal columns, and claims.

    Comments, NULs, the content of scripts, styles, frames and text fields, blanks before and after
    the start tags of blocks, and all but one of several blanks after other tags are left out.
    Attributes move to the table (see `_attribute_table.pxd`) if `page_columns` reads them and are left
    out otherwise. They stay in the markup where the parser would change their values (character
    references, carriage returns), in `html`, `head`, `body`, `dialog` and the `meta` of a title, and from
    line 65535 on.

    What the parser would take for a part of something that is no text of the page is kept apart:

    - `html`, `head` and `body` never close themselves.
    - A title without an end tag ends at the next tag, a comment without an end at the next `>`.
    - Titles behind the one that counts, further tags of `html`, `head`, `body` and `frameset` behind a block, and
      parts of tables outside a table end no paragraph: they are left out.
    - The content of `svg`, `object` and other elements that hide it is left out where the element
      ends by the rules of HTML. One that never ends closes itself (`_output.pxd`).

    Args:
        markup: Markup in UTF-8.
        joins_documents: Also leave out the end tags of `html` and `body`, so that what follows
            the end of a document belongs to it.
        keeps_attributes: Leave all attributes and blanks in the markup; the table is empty.
        keeps_targets: Move the addresses of links and images to the table too, what images show, and the numbers
            of lists and cells.
        finds_claims: Whether the tags that say something about the page are wanted.

    Returns:
        The markup, the attribute table, the claims, where the claim of the first `base` element begins in them
        (-1 = there is none), and whether a text is embedded in the markup (`templ_core.dom.parse.embedded`).
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AsString(markup)
    cdef Py_ssize_t size = PyBytes_Size(markup)
    cdef Stripper one
    if memchr(at, 0, size) != NULL:
        return strip_markup(
            markup.replace(b"\0", b""), joins_documents, keeps_attributes, keeps_targets, finds_claims
        )
    one.end, one.output.copied = at + size, at
    one.has_returns = memchr(at, c"\r", size) != NULL
    one.joins_documents, one.keeps_attributes = joins_documents, keeps_attributes
    one.keeps_targets = keeps_targets
    one.claims = Claims(finds_claims, Text(NULL, 0, 0), -1)
    one.strips_blanks = not keeps_attributes
    one.comments_end = one.titles_end = one.cdata_ends = True
    one.has_title = one.has_embedded = one.in_body = False
    one.hidden.count = one.tables = one.inner_roots = 0
    # What is written beyond the markup is shorter than the tags that call for it, but for "<title>".
    one.output.bytes = one.output.next = <unsigned char *>malloc(size + size // 7 * 8 + 1)
    if one.output.bytes == NULL:
        raise MemoryError
    try:
        table_begin(&one.table, one.output.bytes)
        try:
            while at != NULL:
                at = <const unsigned char *>memchr(at, c"<", one.end - at)
                if at != NULL:
                    at = _after_mark(&one, at)
            copy_up_to(&one.output, one.end)
            return (
                _stripped(&one),
                (_bytes(&one.table.rows), _bytes(&one.table.entries.text)),
                _bytes(&one.claims.text),
                one.claims.base,
                one.has_embedded,
            )
        finally:
            table_end(&one.table)
            free(one.claims.text.bytes)
    finally:
        free(one.output.bytes)


cdef bytes _bytes(const Text *text):
    return PyBytes_FromStringAndSize(text.bytes, text.size)


cdef bytes _stripped(const Stripper *one):
    """Return the output, in which elements that were never ended hide nothing."""
    cdef Py_ssize_t size = one.output.next - one.output.bytes
    if not one.hidden.count:
        return PyBytes_FromStringAndSize(<const char *>one.output.bytes, size)
    result = PyBytes_FromStringAndSize(NULL, size + one.hidden.count * CLOSING_BYTES)
    copy_unhidden(&one.hidden, &one.output, <unsigned char *>PyBytes_AsString(result))
    return result


cdef const unsigned char *_after_mark(Stripper *one, const unsigned char *at) except? NULL:
    """Return where the mark that begins with this `<` is over; NULL if it never ends."""
    cdef Py_ssize_t left = one.end - at
    cdef const unsigned char *after
    if left < 3:
        return NULL
    if is_letter(at[1]):
        return _after_start_tag(one, at)
    if at[1] == c"/":
        if is_letter(at[2]):
            return _after_end_tag(one, at)
        return _after_blanks(one, after_byte(at + 2, one.end, c">"), False)
    if at[1] == c"!" and left > 3 and at[2] == c"-" and at[3] == c"-":
        after = after_comment(at + 4, one.end) if one.comments_end else NULL
        if after == NULL:
            one.comments_end = False
            after = after_byte(at + 4, one.end, c">")
        if after != NULL:
            drop_mark(&one.output, at, after)
        return _after_blanks(one, after, False)
    if at[1] == c"!" and one.cdata_ends and in_foreign(&one.hidden) and left > 9 and (
        not memcmp(at, b"<![CDATA[", 9)
    ):
        after = after_cdata(at + 9, one.end)
        if after != NULL:
            return after
        one.cdata_ends = False
    if at[1] == c"!" or at[1] == c"?":
        return after_byte(at + 2, one.end, c">")
    return at + 1


# --- blanks around tags ---------------------------------------------------------------------


cdef const unsigned char *_after_blanks(
    Stripper *one, const unsigned char *at, bint drops_all
) noexcept:
    """Leave out the blanks after a tag, all of them or all but one."""
    cdef const unsigned char *kept
    if at == NULL or not one.strips_blanks or at == one.end or not is_blank(at[0]):
        return at
    kept = at if drops_all else at + 1
    at = skip_blanks(kept, one.end)
    drop(&one.output, kept, at)
    return at


# --- tags -----------------------------------------------------------------------------------


cdef const unsigned char *_after_end_tag(
    Stripper *one, const unsigned char *start
) noexcept:
    cdef const unsigned char *name_end = end_of_name(start + 3, one.end)
    cdef const unsigned char *at = name_end
    cdef Attribute attribute
    cdef uint64_t tag = 0
    while True:
        at = skip_blanks(at, one.end)
        if at == one.end:
            return NULL
        if at[0] == c">":
            break
        if at[0] == c"/":
            at += 1
        else:
            read_attribute(&attribute, at, one.end)
            at = attribute.end
    tag = packed(start + 2, name_end - start - 2)
    if not one.hidden.count and _leaves_out(one, traits_of(&TAGS, tag), -1):
        drop_mark(&one.output, start, at + 1)
        return _after_blanks(one, at + 1, False)
    if one.hidden.count and _ends_hidden(one, tag, start, at + 1):
        return _after_blanks(one, at + 1, True)
    if one.joins_documents and (tag == HTML_NAME or tag == BODY_NAME):
        name_end = start + 2    # The parser ignores "</>".
    drop(&one.output, name_end, at)
    return _after_blanks(one, at + 1, False)


cdef bint _ends_hidden(
    Stripper *one, uint64_t tag, const unsigned char *start, const unsigned char *after
) noexcept:
    """Let an end tag end hidden elements; return whether it is the end tag of one of them."""
    cdef HiddenElement *last = &one.hidden.items[one.hidden.count - 1]
    cdef int traits = traits_of(&TAGS, tag), place
    if traits & HIDES:
        place = place_of(&one.hidden, tag)
        if place >= 0:
            end_hidden(&one.hidden, place, &one.output, &one.table, after)
        return place >= 0
    if not last.is_foreign:
        return False
    if traits & HOLDS_HTML:
        last.html_depth -= last.html_depth > 0
    elif last.html_depth:
        return False
    elif traits & IS_LINK and last.links:
        last.links -= 1
    elif traits & (ENDS_HTML | IS_LINK):
        place = outermost_foreign(&one.hidden)
        end_hidden(&one.hidden, place, &one.output, &one.table, start)
    return False


cdef bint _leaves_out(Stripper *one, int traits, int step) noexcept:
    """Note a start tag (1) or an end tag (-1); return whether browsers ignore it where it stands."""
    if traits & IS_TABLE:
        one.tables = max(one.tables + step, 0)
    elif traits & IS_TABLE_PART:
        return not one.tables
    elif traits & IS_ROOT and one.in_body and (step > 0 or one.inner_roots):
        one.inner_roots += step
        return True
    return False


cdef const unsigned char *_after_start_tag(
    Stripper *one, const unsigned char *start
) except? NULL:
    cdef const unsigned char *name_end = end_of_name(start + 2, one.end)
    cdef const unsigned char *at
    cdef const unsigned char *after
    cdef StartTag tag
    cdef bint ends_text, is_left_out, is_foreign = one.hidden.count and in_foreign(&one.hidden)
    tag.name = packed(start + 1, name_end - start - 1)
    tag.traits = traits_of(&TAGS, tag.name)
    at = read_attributes(&tag, &ATTRIBUTES, name_end, one.end)
    if at == NULL:
        return NULL
    is_left_out = not one.hidden.count and _leaves_out(one, tag.traits, 1)
    one.has_embedded = one.has_embedded or tag.embeds or (is_foreign and tag.name == FOREIGN_OBJECT_NAME) or (
        tag.traits & SHOWS_IMAGE and tag.seen >> CLASS & 1 and shows_formula(&tag.attributes[CLASS])
    )
    if is_foreign and (tag.traits & STARTS_HTML or tag.styles_font):
        end_hidden(
            &one.hidden, outermost_foreign(&one.hidden), &one.output, &one.table, start
        )
        is_foreign = False
    ends_text = tag.traits & IS_BLOCK and not tag.traits & IS_ROOT
    one.in_body |= ends_text and not is_left_out
    if ends_text and one.strips_blanks and not is_left_out:
        drop_blanks_before(&one.output, start)
    tag.keeps_attributes |= one.keeps_attributes
    tag.keeps_target = one.keeps_targets and tag.traits & IS_TARGET
    if tag.claims and one.claims.are_wanted and not tag.traits & IS_RAW:
        if tag.name == BASE_NAME and one.claims.base < 0:
            one.claims.base = one.claims.text.size
        put_claim(
            &one.claims, start, name_end, at,
            min(one.end, at + SHOWN_BYTES) if tag.traits & SHOWS_CLAIM else at,
        )
    if is_left_out:
        after = at + 1 + (at[0] == c"/")
        drop_mark(&one.output, start, after)
        return _after_blanks(one, after, False)
    if not tag.keeps_attributes and (
        move_attributes(&one.table, &one.output, &tag, name_end, at, one.has_returns)
    ):
        drop(&one.output, name_end, at)
    if at[0] == c"/":
        if tag.traits & IS_ROOT:
            drop(&one.output, at, at + 1)
        return _after_blanks(one, at + 2, ends_text)
    if is_foreign:
        _enter_foreign(one, &tag)
    if tag.traits & HIDES:
        copy_up_to(&one.output, at)
        hide_from(&one.hidden, tag.name, tag.traits & IS_FOREIGN, &one.output, &one.table)
    elif tag.traits & IS_RAW and not (is_foreign and tag.name != TITLE_NAME):
        return _after_raw_text(one, &tag, start, at + 1)
    elif tag.name == PLAINTEXT_NAME and not is_foreign:
        return NULL
    one.strips_blanks = one.strips_blanks and not tag.traits & IS_PRE
    return _after_blanks(one, at + 1, ends_text)


cdef void _enter_foreign(Stripper *one, const StartTag *tag) noexcept:
    """Note the start of an element inside `svg` or `math`."""
    cdef HiddenElement *last = &one.hidden.items[one.hidden.count - 1]
    last.links += tag.traits & IS_LINK != 0
    last.html_depth += tag.traits & HOLDS_HTML != 0


# --- raw text -------------------------------------------------------------------------------


cdef const unsigned char *_after_raw_text(
    Stripper *one, const StartTag *tag, const unsigned char *start, const unsigned char *at
) noexcept:
    """Return where the raw text at `at`, after a start tag at `start`, is over; NULL if it never is."""
    cdef const unsigned char *end
    if tag.name == SCRIPT_NAME:
        end = end_of_script(SCRIPT_NAME, at, one.end)
    elif tag.name != TITLE_NAME or one.titles_end:
        end = end_of_raw_text(tag.name, at, one.end)
    else:
        end = NULL
    if tag.name == TITLE_NAME and end == NULL:
        one.titles_end = False
        end = next_tag(at, one.end)
        if end != NULL:
            copy_up_to(&one.output, end)
            memcpy(one.output.next, b"</title>", TITLE_END_BYTES)
            one.output.next += TITLE_END_BYTES
    elif end != NULL and tag.name == TITLE_NAME and not one.hidden.count:
        if one.has_title:
            end = after_byte(end, one.end, c">")
            if end != NULL:
                drop_mark(&one.output, start, end)
        elif skip_blanks(at, end) < end:
            one.has_title = True
    elif end != NULL and tag.traits & IS_EMPTIED:
        if tag.claims and one.claims.are_wanted:
            put_claim(&one.claims, at - 2, at - 1, at - 1, end)
        drop(&one.output, at, end)
    return end


# --- attributes on their way to the table ---------------------------------------------------


cdef bint move_attributes(
    TableWriter *table, Output *output, StartTag *tag, const unsigned char *name_end,
    const unsigned char *tag_end, bint has_returns,
) except -1:
    """Move what `page_columns` reads of a tag's attributes to the table; return whether it could.

    Args:
        table: The table.
        output: The output, in which a line feed takes the place of the attributes.
        tag: The start tag.
        name_end: Where its name is over.
        tag_end: Its `>` or `/>`.
        has_returns: Whether the markup has carriage returns, which the parser changes.
    """
    cdef Attribute *attribute = &tag.attributes[0]
    cdef int number, line
    if not (tag.seen or tag.keeps_target) or tag.traits & IS_EMPTIED:
        return True
    table.entry.size = 0
    if tag.seen >> HIDDEN & 1 and not is_value(&attribute[HIDDEN], b"until-found"):
        table_put(table, HIDDEN, NULL, 0)
    elif tag.seen >> ARIA_HIDDEN & 1 and is_value(&attribute[ARIA_HIDDEN], b"true"):
        table_put(table, ARIA_HIDDEN, b"true", 4)
    if tag.keeps_target:
        _put_target(table, tag, name_end, tag_end)
    for number in range(ID, HREF + 1):
        if not tag.seen >> number & 1 or attribute[number].value == NULL:
            continue
        if number == HREF:
            if not leads_away(&attribute[HREF]):
                continue
            attribute[HREF].value_end = end_of_host(&attribute[HREF])
        if not _move_attribute(table, number, &attribute[number], has_returns):
            return False
    if not table.entry.size:
        return True
    copy_up_to(output, name_end)
    line = table_next_line(table, output.next)
    if line > MAX_LINE:
        return False
    output.next[0] = c"\n"
    output.next += 1
    table_add_row(table, line)
    return True


cdef bint _move_attribute(
    TableWriter *table, int number, const Attribute *attribute, bint has_returns
) except -1:
    """Add a value to the table's entry; return False if the parser would change the value."""
    cdef Py_ssize_t size = attribute.value_end - attribute.value
    if size == 0:
        return True
    if memchr(attribute.value, c"&", size) != NULL or (
        has_returns and memchr(attribute.value, c"\r", size) != NULL
    ):
        return False
    table_put(table, number, attribute.value, size)
    return True


cdef int _put_target(
    TableWriter *table, const StartTag *tag, const unsigned char *at, const unsigned char *tag_end
) except -1:
    """Add the address of a link, or what the attributes from `at` on show of another element, as they stand."""
    cdef const Attribute *address = &tag.attributes[HREF]
    cdef Attribute attribute
    cdef Shown shown
    if tag.traits & IS_LINK:
        if tag.seen >> HREF & 1:
            table_put(table, TARGET, address.value, address.value_end - address.value)
        return 0
    shown.count = 0
    at = skip_blanks(at, tag_end)
    while at < tag_end:
        if at[0] == c"/":
            at += 1
        else:
            read_attribute(&attribute, at, tag_end)
            at = attribute.end
            show_attribute(
                &shown, <const char *>attribute.name, attribute.name_end - attribute.name,
                <const char *>attribute.value, attribute.value_end - attribute.value,
            )
        at = skip_blanks(at, tag_end)
    if shown.count:
        show(&shown, tag.traits)
        if shown.label.value != NULL:
            table_put(table, LABEL, <const unsigned char *>shown.label.value, shown.label.value_bytes)
        if shown.target.value != NULL:
            table_put(table, TARGET, <const unsigned char *>shown.target.value, shown.target.value_bytes)
    return 0


cdef bint leads_away(const Attribute *href) noexcept:
    """Return whether an address may lead elsewhere than to another page of the same site."""
    cdef const unsigned char *at = href.value
    cdef Py_ssize_t size = href.value_end - at
    if not size:
        return False
    if at[0] == c"#" or (at[0] == c"/" and size > 1 and at[1] == c"/"):
        return True
    if at[0] == c"/" or at[0] == c"?" or at[0] == c".":
        return at[0] == c"/" and size > 1 and at[1] == c"&"
    if memchr(at, c"&", min(size, ADDRESS_START)) != NULL:
        return True
    return size > 4 and (not memcmp(at, b"http", 4) or not memcmp(at, b"javas", 5))


cdef const unsigned char *end_of_host(const Attribute *href) noexcept:
    """Return the end of an address's host and its slash, or the end of the whole address."""
    cdef const unsigned char *at = href.value
    cdef const unsigned char *end = href.value_end
    while end - at > 1 and not (at[0] == c"/" and at[1] == c"/"):
        if at[0] == c"&":
            return end
        at += 1
    at += 2
    while at < end and at[0] != c"/":
        if at[0] == c"&":
            return end
        at += 1
    return at + 1 if at < end else end


# --- claims ---------------------------------------------------------------------------------


cdef int put_claim(
    Claims *claims, const unsigned char *start, const unsigned char *name_end,
    const unsigned char *tag_end, const unsigned char *end,
) except -1:
    """Add a tag, unless there are too many already.

    Args:
        claims: Where to add it.
        start: Its `<`.
        name_end: Where its name is over.
        tag_end: Its `>` or `/>`.
        end: Where the markup behind it that counts is over; not beyond `tag_end` if none does.
    """
    cdef const unsigned char *at = skip_blanks(name_end, tag_end)
    cdef Attribute attribute
    cdef Py_ssize_t shown = end - tag_end - 1
    if claims.text.size + (tag_end - start) + max(shown, 0) >= CLAIMS_MAX_BYTES:
        return 0
    _put_lower(&claims.text, start + 1, name_end)
    while at < tag_end:
        if at[0] == c"/":
            at += 1
        else:
            read_attribute(&attribute, at, tag_end)
            at = attribute.end
            if attribute.value != NULL:
                _claim_attribute(&claims.text, &attribute)
        at = skip_blanks(at, tag_end)
    if shown > 0:
        put(&claims.text, "\1", 1)
        put(&claims.text, <const char *>tag_end + 1, shown)
    return put(&claims.text, "\0", 1)


cdef int _claim_attribute(Text *text, const Attribute *attribute) except -1:
    cdef Py_ssize_t size = attribute.value_end - attribute.value
    if memchr(attribute.value, 1, size) != NULL or memchr(attribute.value, 2, size) != NULL:
        return 0
    _put_lower(text, attribute.name, attribute.name_end)
    put(text, <const char *>attribute.value, size)
    return put(text, "\2", 1)


cdef int _put_lower(
    Text *text, const unsigned char *at, const unsigned char *end
) except -1:
    """Add a name in lower case and the byte 2."""
    reserve(text, end - at + 1)
    while at < end:
        text.bytes[text.size] = at[0] + 32 if c"A" <= at[0] <= c"Z" else at[0]
        text.size += 1
        at += 1
    text.bytes[text.size] = 2
    text.size += 1
    return 0
