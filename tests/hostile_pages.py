"""Pages that make extractors hang, crash or lose the article without an error.

Most cases hold an article of twelve marked paragraphs, the others a text of their own; it must be in the
result.
"""

from collections.abc import Callable

import msgspec

MARKS = tuple(f"marked{number}" for number in range(12))
_SENTENCE = (
    "The council met on Tuesday evening and voted for the plan, after two hours of debate, "
    "with seven votes to four; the mayor said that work would begin in spring, {}."
)
PARAGRAPHS = tuple(_SENTENCE.format(mark) for mark in MARKS)
ARTICLE = "<article><h1>The council votes</h1>{}</article>".format(
    "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
)
_ACCENTS = "Müller über Größe, déjà vu à Nîmes, señor, “quoted” – dash, €5."
_JAPANESE = "日本語の文章です。市議会は火曜日の夜に計画を可決した。工事は春に始まると市長は述べた。"
_CHINESE = "市议会星期二晚上通过了这项计划。市长说工程将在春天开始。这是第二段的内容。镕喆"


class Hostile(msgspec.Struct, frozen=True, kw_only=True):
    """A hostile page and the right answers to it."""

    make: Callable[[float], bytes]
    """Makes the page's bytes at a scale; 1 is the size in the study."""
    expected: tuple[str, ...] = MARKS
    """Texts that the result must contain; empty if the page has no text."""
    refusals: tuple[str, ...] = ()
    """Names of the errors with which the page may be refused."""


def _page(body: str, head: str = "<title>The council votes</title>") -> str:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


def _utf8(build: Callable[[float], str]) -> Callable[[float], bytes]:
    return lambda scale: _page(build(scale)).encode()


def _beside(
    before: str = "", after: str = "", *, times: int, scales: bool = True, refused: str = ""
) -> Hostile:
    """Return a page that has some markup before and after its article, each so many times."""

    def make(scale: float) -> bytes:
        count = int(times * scale) if scales else times
        return _page(before * count + ARTICLE + after * count).encode()

    return Hostile(make=make, refusals=(refused,) if refused else ())


def _paragraphs(text: str, count: int = 8) -> str:
    return "".join(f"<p>{text} {text}</p>" for _ in range(count))


_SHOWN = {
    _ACCENTS: ("Müller über Größe", "Nîmes, señor", "“quoted” – dash, €5"),
    _JAPANESE: ("日本語の文章です", "市長は述べた"),
    _CHINESE: ("市议会星期二晚上", "第二段的内容", "镕喆"),
}


def _charset(text: str, encode: str, said: str | None, bom: bytes = b"") -> Hostile:
    meta = f'<meta charset="{said}">' if said else ""

    def make(_: float) -> bytes:
        return bom + _page(f"<article>{_paragraphs(text)}</article>", meta).encode(encode)

    return Hostile(make=make, expected=_SHOWN[text])


def _surrogates(_: float) -> bytes:
    return _page("<p>\ud800</p>" + ARTICLE + "<p>\udfff</p>").encode("utf-8", "surrogatepass")


CASES: dict[str, Hostile] = {
    "plain article": Hostile(make=_utf8(lambda scale: ARTICLE)),
    "empty string": Hostile(make=lambda _: b"", refusals=("EmptyPage",), expected=()),
    "white space only": Hostile(make=lambda _: b" \n\t " * 100, expected=()),
    "text without tags": Hostile(make=lambda _: "\n\n".join(PARAGRAPHS).encode()),
    "20 MB page": Hostile(
        make=_utf8(
            lambda scale: (
                ARTICLE.removesuffix("</article>")
                + "".join(
                    f"<p>{_SENTENCE.format(number)}</p>"
                    for number in range(int(20_000_000 * scale / len(_SENTENCE)))
                )
                + "</article>"
            )
        )
    ),
    "50 MB text node": Hostile(
        make=_utf8(lambda scale: ARTICLE + "<p>" + "word " * int(10_000_000 * scale)),
        refusals=("PageTooLarge",),
    ),
    "18 MB text node": Hostile(
        make=_utf8(lambda scale: ARTICLE + "<p>" + "word " * int(3_600_000 * scale))
    ),
    "100k divs around": _beside("<div>", "</div>", times=100_000),
    "100k divs beside": _beside(after="<div>x</div>", times=100_000),
    "600 divs around": _beside("<div>", "</div>", times=600, scales=False),
    "1M elements with attributes": _beside(
        after='<i a="1"></i>', times=1_000_000, refused="HostilePage"
    ),
    "100k attributes on one tag": Hostile(
        make=_utf8(
            lambda scale: (
                f"<div {' '.join(f'a{n}=1' for n in range(int(100_000 * scale)))}>{ARTICLE}</div>"
            )
        )
    ),
    "5k nested tables": _beside("<table><tr><td>", "</td></tr></table>", times=5000),
    "60 nested tables": _beside("<table><tr><td>", "</td></tr></table>", times=60, scales=False),
    "20k open b and a": _beside("<b><a>", times=20_000, scales=False),
    "5k open b, i and p": _beside("<b><i><p>", times=5000),
    "100k open p": _beside("<p>", times=100_000),
    "unclosed script": Hostile(make=_utf8(lambda _: f"{ARTICLE}<script>{'if (a<b) {} ' * 1000}")),
    "unclosed comment": Hostile(make=_utf8(lambda _: f"{ARTICLE}<!-- {'never closed ' * 1000}")),
    "unclosed CDATA": _beside(after="<![CDATA[", times=100_000),
    "unclosed title": Hostile(
        make=lambda _: f"<html><head><title>The council votes<body>{ARTICLE}".encode()
    ),
    "<!-- x 200k": _beside(after="<!-- x ", times=200_000),
    "< x 1M": _beside(after="<", times=1_000_000),
    "& x 1M": _beside(after="&", times=1_000_000),
    "blanks x 10M": _beside(after=" ", times=10_000_000),
    "a word of 1 MB": Hostile(
        make=_utf8(lambda scale: ARTICLE + "<p>" + "a" * int(1_000_000 * scale))
    ),
    "entity bomb": Hostile(
        make=lambda _: (
            '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaaaaaaaaa">'
            + "".join(
                f'<!ENTITY {x} "{f"&{y};" * 10}">'
                for y, x in zip("abcdefg", "bcdefgh", strict=True)
            )
            + f"]><html><body>{ARTICLE}<p>&h;</p></body></html>"
        ).encode()
    ),
    "XML declaration": Hostile(
        make=lambda _: ('<?xml version="1.0" encoding="iso-8859-1"?>' + _page(ARTICLE)).encode()
    ),
    "NUL bytes": Hostile(make=lambda _: _page(ARTICLE).replace(" ", "\0 ").encode()),
    "lone surrogates": Hostile(make=_surrogates),
    "control characters": Hostile(
        make=lambda _: _page(ARTICLE).replace(", ", "\x01\x02\x1b, ").encode()
    ),
    "invalid UTF-8": Hostile(
        make=lambda _: _page(ARTICLE).encode().replace(b", ", b"\xc3\x28\xff, ")
    ),
    "UTF-8 with a byte-order mark": _charset(_ACCENTS, "utf-8", "iso-8859-1", b"\xef\xbb\xbf"),
    "UTF-8 undeclared": _charset(_ACCENTS, "utf-8", None),
    "UTF-8 said latin-1": _charset(_ACCENTS, "utf-8", "iso-8859-1"),
    "windows-1252 declared": _charset(_ACCENTS, "windows-1252", "windows-1252"),
    "windows-1252 said latin-1": _charset(_ACCENTS, "windows-1252", "iso-8859-1"),
    "windows-1252 said UTF-8": _charset(_ACCENTS, "windows-1252", "utf-8"),
    "Shift_JIS declared": _charset(_JAPANESE, "shift_jis", "shift_jis"),
    "Shift_JIS said UTF-8": _charset(_JAPANESE, "shift_jis", "utf-8"),
    "GB18030 said GB2312": _charset(_CHINESE, "gb18030", "gb2312"),
    "GB18030 undeclared": _charset(_CHINESE, "gb18030", None),
    "UTF-16 with a byte-order mark, said UTF-8": _charset(
        _ACCENTS, "utf-16-le", "utf-8", b"\xff\xfe"
    ),
    "PDF": Hostile(
        make=lambda _: (
            b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<</Length 99>>stream\n" + bytes(range(256)) * 50
        ),
        expected=(),
        refusals=("UnsupportedContent",),
    ),
    "JPEG": Hostile(
        make=lambda _: b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(range(256)) * 50,
        expected=(),
        refusals=("UnsupportedContent",),
    ),
}
"""The 44 cases of a study of thirteen extractors, and a text node that is below the page limit."""
