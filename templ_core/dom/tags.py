"""What HTML's tag names mean for text."""

INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "input",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
        "br",
    ]
)
"""Tags that do not end a run of text; every other tag, unknown ones included, is a block."""

INVISIBLE = frozenset(
    [
        "script",
        "style",
        "template",
        "head",
        "iframe",
        "object",
        "svg",
        "textarea",
        "math",
        "canvas",
        "audio",
        "video",
        "map",
    ]
)
"""Tags whose content is not text of the page."""

SPACE_AFTER = frozenset(["img", "input", "label"])
"""Inline tags that separate words."""

CELLS = frozenset(["td", "th"])
