"""The compiled scans find what their slow twins find: claims of any bytes, and texts of elements."""

import re
from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.dom._references import without_references
from templ_core.dom.document import parse_document
from templ_core.metadata._scans import plain_text, segments_within
from templ_core.metadata.markup import _WANTED, read_claims
from tests.templ_core.any_markup import any_markup

PROPERTIES = {
    "headline", "author", "datepublished", "datecreated", "datemodified", "articlesection", "image",
}  # fmt: skip
FIELDS = (
    "meta", "properties", "canonical", "authors", "tags", "times", "scripts", "statements",
)  # fmt: skip


class SlowClaims:
    """The scan as one reads it in the documentation, on strings and dictionaries."""

    def __init__(self, claims):
        self.meta, self.properties = {}, {}
        self.canonical, self.authors, self.tags = [], [], []
        self.times, self.scripts, self.statements = [], [], []
        ranked = []
        for claim in claims.split(b"\0")[:-1]:
            tag, _, behind = claim.partition(b"\1")
            name, *pairs = tag.decode(errors="replace").split("\2")
            if not name and pairs and behind:
                self.scripts.append(behind)
            elif name and pairs:
                attributes = dict(zip(pairs[:-1:2], pairs[1:-1:2], strict=False))
                self.sort(name, attributes, behind.decode(errors="replace"), ranked)
        for field, _, text in sorted(ranked, key=lambda one: one[1]):
            self.meta.setdefault(field, []).append(text)

    def sort(self, name, attributes, behind, ranked):
        rel = attributes.get("rel", "").lower().split()
        stated = attributes.get("itemprop", "").lower().split()
        if name == "meta":
            names = ("property", "name", "itemprop", "http-equiv")
            keys = [attributes.get(one, "").strip().lower() for one in names]
            known = [_WANTED[key] for key in keys if key in _WANTED]
            content = plain_text(attributes.get("content", ""))
            ranked += [(field, rank, content) for field, rank in known if content]
            if not known:
                self.state(name, attributes, behind)
            return
        self.state(name, attributes, behind)
        if name == "link" and "canonical" in rel:
            self.canonical.append(without_references(attributes.get("href", "")).strip())
            return
        if "author" in rel:
            self.authors.append(shown(name, behind))
        if "tag" in rel:
            self.tags.append(shown(name, behind))
        if name == "time":
            self.times.append((attributes, shown(name, behind)))
        for one in PROPERTIES.intersection(stated):
            if value(attributes) or shown(name, behind):
                texts = self.properties.setdefault(one, [])
                texts.append(value(attributes) or shown(name, behind))

    def state(self, name, attributes, behind):
        of_type = attributes.get("itemtype") or attributes.get("typeof") or ""
        names = attributes.get("itemprop") or attributes.get("property") or ""
        is_product = re.search(r"(?:[/:#]|^)(?:Product|Vehicle|Car$)", of_type)
        if (self.statements or is_product) and (of_type or names):
            kinds = (re.sub(r"\S*[/:#]", "", one) for one in (of_type, names.lower()))
            self.statements.append((*kinds, value(attributes) or shown(name, behind)))


def value(attributes):
    names = ["content", "datetime", "src"]
    if "author" not in attributes.get("itemprop", "").lower():
        names.append("href")
    return plain_text(next((attributes[one] for one in names if attributes.get(one)), ""))


def shown(name, behind):
    end = behind.lower().find(f"</{name}")
    return plain_text(re.sub(r"<[^>]*>?", " ", behind[:end])) if end > 0 else ""


PIECES = [
    b"\0", b"\1", b"\2", b"\2", b"\2", b"meta", b"link", b"time", b"a", b"span",
    b"property", b"name", b"itemprop", b"http-equiv", b"content", b"rel", b"href", b"datetime", b"itemtype",
    b"og:title", b"Author", b" author ", b"tag canonical", b"datePublished", b"price", b"og:price:amount",
    b"https://schema.org/Product", b"https://a.example/?b=1&amp;c=2", b"Ann &amp; Bob", b"4 <b>May</b>", b"</a>", b"</SPAN>",
    b"\xc3\xa9", b"\xff", b" \t", b'{"@type":"Product"}',
]  # fmt: skip
TAGS = st.builds(
    lambda name, pairs, behind: b"\2".join([name, *sum(pairs, ())]) + b"\2" + behind + b"\0",
    st.sampled_from([b"meta", b"link", b"time", b"a", b"span", b""]),
    st.lists(st.tuples(st.sampled_from(PIECES[10:19]), st.sampled_from(PIECES[19:])), max_size=4),
    st.sampled_from([b"", b"\1", b"\1Ann <b>Lee</b></a></span></time>", b"\1{}"]),
)


@given(st.lists(TAGS | st.sampled_from(PIECES), max_size=30).map(b"".join))
@example(b"meta\2content\2Tea\2property\2og:title\2name\2twitter:title\2\0")
@example(b"\2\1{}\0a\2rel\2author\2\1</a>\0a\2rel\2author\2\1 Ann\0")
def test_the_scan_finds_what_its_slow_twin_finds(claims):
    fast, expected = read_claims(claims), SlowClaims(claims)
    for field in FIELDS:
        assert getattr(fast, field) == getattr(expected, field), field


def test_the_surest_name_of_a_field_comes_first():
    tags = [(b"twitter:title", b"B"), (b"og:title", b"A"), (b"twitter:title", b"C")]
    claims = b"".join(b"meta\2name\2%b\2content\2%b\2\0" % one for one in tags)
    assert read_claims(claims).meta == {"title": ["A", "B", "C"]}


SHOWN_TAGS = ("p", "b", "div", "li", "br><br", "hr")
MARKUP = any_markup(
    st.sampled_from(["one ", "two ", "three "]), tags=SHOWN_TAGS, attributes=("class=a", "class=b")
)


def slow_segments(document, types, elements_max, texts_max, times_max):
    nodes, segments = document.nodes, document.segments
    times = Counter(nodes.element_type.tolist())
    wanted = [one for one in types if times[one] <= times_max]
    groups = []
    for node, number in enumerate(nodes.element_type.tolist()):
        if number not in wanted or len(groups) == elements_max:
            continue
        inside = []
        for segment, owner in enumerate(segments.owner.tolist()):
            first, behind = segments.inline_from[segment], segments.inline_to[segment]
            is_block = node <= owner < nodes.end[node]
            is_inline = owner < node and first <= node
            if behind > node and first <= nodes.end[node] and (is_block or is_inline):
                inside.append(segment)
        groups.append(inside[:texts_max])
    return groups


@given(MARKUP, st.sets(st.integers(0, 6)), st.integers(1, 4), st.integers(1, 3), st.integers(1, 5))
def test_segments_of_elements_are_those_of_the_slow_twin(markup, types, elements, texts, times):
    document = parse_document(f"<p>Text<p>{markup}", "")
    known = [one for one in sorted(types) if one < len(document.nodes.element_types)]
    groups = segments_within(document, known, elements, texts, times)
    assert groups == slow_segments(document, known, elements, texts, times)
