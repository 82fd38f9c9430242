import re
import zlib
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.page_level.features.characters import mix, read_characters, read_words, text_hashes
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model._hashed_scores import name_places, text_scores, text_tokens
from templ_core.page_level.model._page_type import page_statistics
from templ_core.page_level.model.hashed_scores import NAMES_SIZE, TABLE_SIZE, HashedTable
from templ_core.page_level.model.model_file import decode_model, encode_model, shipped_model
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType, PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble
from templ_core.page_level.page_evidence import one_copy_enough
from tests.templ_core.page_level.slow_features import first_guess

PAGE = "<nav><a href=/>Home</a></nav><p>Some text, long enough to be one.</p><footer>(c)</footer>"


def log_odds(model):
    document = parse_document(PAGE, "https://example.com/")
    return model.log_odds(document, read_features(document)).tolist()


def test_a_model_read_from_its_file_is_the_same():
    body = encode_model(shipped_model())
    again = decode_model(body)
    assert again.version == shipped_model().version
    assert log_odds(again) == log_odds(shipped_model())
    assert encode_model(again) == body


def test_the_shipped_model_says_where_it_comes_from_and_what_it_reaches():
    about = shipped_model().about
    assert about.corpora.keys() == about.quality.keys()
    assert about.licence
    assert len(encode_model(shipped_model())) < 1 << 20


def test_log_odds_are_rounded():
    assert np.round(log_odds(shipped_model()), 3).tolist() == log_odds(shipped_model())


WHOLE = encode_model(shipped_model())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", ""),
        (b"PK\x03\x04 something else", ""),
        (WHOLE[:-100], "decompression"),
        (WHOLE[:5000] + bytes([WHOLE[5000] ^ 1]) + WHOLE[5001:], "checksum|corruption"),
    ],
    ids=["empty", "foreign", "cut", "changed"],
)
def test_a_file_that_is_no_page_model_is_refused(body, said):
    with pytest.raises(CodecError, match=f"not a page model.*({said})"):
        decode_model(body)


def with_trees(name, place, value):
    """The shipped model with one value of its trees, or a whole field, changed."""
    trees = shipped_model().trees
    if place is not None:
        column = getattr(trees, name).copy()
        column[place] = value
        value = column
    trees = msgspec.structs.replace(trees, **{name: value})
    return msgspec.structs.replace(shipped_model(), trees=trees)


def test_other_numbers_give_another_version():
    again = decode_model(encode_model(with_trees("base", None, shipped_model().trees.base + 1)))
    assert again.version != shipped_model().version


def with_networks(change):
    networks = [msgspec.structs.replace(one, **change(one)) for one in shipped_model().networks]
    return msgspec.structs.replace(shipped_model(), networks=networks)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(with_trees("feature", 0, 200), id="no such feature"),
        pytest.param(with_trees("feature", 0, -1), id="negative feature"),
        pytest.param(with_trees("left", 0, 2300), id="no such node"),
        pytest.param(with_trees("left", 1, 0), id="a cycle"),
        pytest.param(with_trees("left", 0, 5), id="a node below two nodes"),
        pytest.param(with_trees("roots", 1, 0), id="a root twice"),
        pytest.param(with_trees("value", 3, np.nan), id="not finite"),
        pytest.param(with_trees("base", None, float("inf")), id="infinite base"),
        pytest.param(with_trees("threshold", None, np.zeros(9, np.float32)), id="other lengths"),
        pytest.param(with_trees("threshold", None, np.zeros(2300, np.int32)), id="other types"),
        pytest.param(with_networks(lambda one: {"scale": one.scale[:-1]}), id="a short scale"),
        pytest.param(with_networks(lambda one: {"weights": one.weights[::-1]}), id="another order"),
        pytest.param(with_networks(lambda _: {"weights": [], "biases": []}), id="no layers"),
    ],
)
def test_a_model_whose_arrays_do_not_fit_each_other_is_refused(model):
    body = encode_model(model)
    with pytest.raises(CodecError, match="^not a page model: "):
        decode_model(body)


_WORD, _START, _WHOLE = (np.uint64(salt) for salt in (0x51ED27, 0xA24BAED, 0x9FB21C65))
_HEADING, _TURN = np.uint64(0xC13FA9A902A6328F), np.uint64(0xFF51AFD7ED558CCD)
TEXTS = st.lists(st.text("ab cd, x y1", min_size=1, max_size=90), min_size=1, max_size=8)


def obvious_places(words, segment, salt):
    """Return the places of a segment's first 30 words, its first three as one, and a text of up to six."""
    own = words.hashes[words.segment == segment]
    tokens = [own[:30] ^ _WORD]
    if len(own) >= 3:
        tokens.append(((own[:1] * _TURN + own[1:2]) * _TURN + own[2:3]) ^ _START)
    if len(own) <= 6:
        tokens.append(text_hashes(words)[[segment]] ^ _WHOLE)
    return set((mix(np.concatenate(tokens) ^ salt) % np.uint64(TABLE_SIZE)).tolist())


def by_segment(tokens, count):
    places, segments = tokens
    return [sorted(places[segments == number].tolist()) for number in range(count)]


@given(TEXTS, st.data())
def test_tokens_and_scores_are_those_of_the_slow_twin(texts, data):
    words = read_words(read_characters(texts))
    count = len(texts)
    heading = np.array([data.draw(st.integers(-1, number - 1)) for number in range(count)])
    own = [obvious_places(words, number, np.uint64(0)) for number in range(count)]
    below = [obvious_places(words, number, _HEADING) for number in range(count)]
    assert by_segment(text_tokens(words), count) == [sorted(some) for some in own]
    as_headings = by_segment(text_tokens(words, as_heading=True), count)
    assert as_headings == [sorted(some) for some in below]
    rng = np.random.default_rng(0)
    weights = rng.integers(-127, 128, TABLE_SIZE).astype(np.int8)
    table = HashedTable(weights=weights, unit=1e-3, bias=0.25)
    sums = [
        sum(int(weights[place]) for place in [*own[number], *(below[at] if at >= 0 else ())])
        for number, at in enumerate(heading.tolist())
    ]
    assert np.allclose(text_scores(words, heading, table), 0.25 + 1e-3 * np.array(sums))


def network(rng, sizes):
    return Network(
        mean=rng.normal(size=sizes[0]).astype(np.float32),
        scale=rng.uniform(0, 2, sizes[0]).astype(np.float32),
        weights=[rng.normal(size=shape).astype(np.float32) for shape in pairwise(sizes)],
        biases=[rng.normal(size=size).astype(np.float32) for size in sizes[1:]],
    )


def obvious_log_odds(model, rows):
    """Return log-odds in double precision, one row after the other."""
    log_odds = []
    for row in rows:
        values = model.standardised(row[None])[0].astype(np.float64)
        for weights, biases in zip(model.weights, model.biases, strict=True):
            last = values = values @ weights.astype(np.float64) + biases
            values = np.maximum(values, 0)
        log_odds.append(last[0])
    return np.array(log_odds)


@given(
    seed=st.integers(0, 1 << 30),
    count=st.integers(1, 20),
    inputs=st.integers(1, 40),
    hidden=st.lists(st.integers(1, 70), max_size=3),
)
def test_networks_of_any_size_give_the_log_odds_of_the_slow_twin(seed, count, inputs, hidden):
    rng = np.random.default_rng(seed)
    model = network(rng, [inputs, *hidden, 1])
    rows = rng.normal(0, 4, (count, inputs)).astype(np.float32)
    expected = obvious_log_odds(model, rows)
    size = np.abs(expected).max() + 10 ** len(hidden)
    assert np.allclose(model.log_odds(rows), expected, rtol=0, atol=1e-5 * size)


def test_a_row_has_the_same_log_odds_whatever_stands_beside_it():
    rng = np.random.default_rng(5)
    model = network(rng, [143, 64, 32, 1])
    rows = rng.normal(0, 4, (17, 143)).astype(np.float32)
    log_odds = model.log_odds(rows)
    assert log_odds.tolist() == [model.log_odds(row[None])[0] for row in rows]


def test_inputs_of_another_length_are_refused():
    model = network(np.random.default_rng(1), [5, 3, 1])
    with pytest.raises(ValueError, match="other features"):
        model.log_odds(np.zeros((2, 6), np.float32))
    with pytest.raises(ValueError, match="other statistics"):
        shipped_model().page_types.page_type(np.zeros(2), np.empty(0, np.int64))


_STEM = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def slow_statistics(features, words, attribute, text):
    mass = words * first_guess(attribute, text)
    content, total = mass.sum(), words.sum()
    return [
        *(mass @ features / content),
        *(words @ features / total),
        *(np.log1p(content), np.log1p(total), content / total),
        *(mass @ attribute / content, mass @ text / content, np.log(len(words))),
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["p", "div", "html", "h1"]),
            st.text("aBc-1 _é\n", max_size=30) | st.just("postComments post-17"),
        ),
        max_size=9,
    )
)
def test_names_are_those_of_the_slow_twin(element_types):
    texts = [stem for _, attributes in element_types for stem in _STEM.findall(attributes)]
    stems = {zlib.crc32(stem.lower().encode()) for stem in texts}
    tags = {zlib.crc32(tag.encode()) | 1 << 32 for tag, _ in element_types}
    hashes = np.array([*stems, *tags], np.uint64)
    places = np.unique(mix(hashes) % np.uint64(NAMES_SIZE)).tolist()
    assert name_places(element_types).tolist() == places


@given(st.integers(0, 1 << 30), st.integers(1, 30), st.integers(1, 9))
def test_statistics_and_page_types_are_those_of_the_slow_twin(seed, size, columns):
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 3, (size, columns)).astype(np.float32)
    words = rng.integers(1, 90, size).astype(np.float64)
    attribute, text = rng.normal(0, 4, (2, size))
    shares = page_statistics(features, words, attribute, text)
    assert np.allclose(shares, slow_statistics(features, words, attribute, text), rtol=1e-12)
    inputs = len(shares)
    model = PageTypeModel(
        mean=rng.normal(size=inputs).astype(np.float32),
        scale=rng.uniform(0, 2, inputs).astype(np.float32),
        weights=rng.normal(size=(inputs, len(PAGE_TYPES))).astype(np.float32),
        biases=rng.normal(size=len(PAGE_TYPES)).astype(np.float32),
        names=rng.integers(-127, 128, (NAMES_SIZE, len(PAGE_TYPES))).astype(np.int8),
        unit=0.01,
    )
    names = np.unique(rng.integers(0, NAMES_SIZE, rng.integers(0, 40)))
    log_odds = model.standardised(shares) @ model.weights + model.biases
    if len(names):
        log_odds += 0.01 * model.names[names].sum(axis=0, dtype=np.int64) / len(names) ** 0.5
    share = np.exp(log_odds - log_odds.max()) / np.exp(log_odds - log_odds.max()).sum()
    page_type = model.page_type(shares, names)
    shares = [getattr(page_type, name) for name in PAGE_TYPES]
    assert np.allclose(shares, share, rtol=0, atol=5.1e-4)


SHOP = (
    "<div class=product><span class=price>9</span><form class=cart><button class=add-to-cart>Buy"
    "</button></form><div class=product-description>A lamp.</div></div>"
)
THREAD = (
    "<div class=topic><div class=post id=post1><div class=postbody>Hello.</div></div>"
    "<div class=post id=post2><div class=postbody>Hi.</div></div></div>"
)


@pytest.mark.parametrize(("markup", "likely"), [(SHOP, "product"), (THREAD, "forum")])
def test_class_names_tell_the_page_type(markup, likely):
    document = parse_document(markup, "https://example.com/")
    reading = shipped_model().read(document, read_features(document))
    plain = parse_document(re.sub(" (class|id)=[a-z0-9-]+", "", markup), "https://example.com/")
    other = shipped_model().read(plain, read_features(plain))
    assert getattr(reading.page_type, likely) > getattr(other.page_type, likely)


def test_documentation_may_repeat_its_text():
    once = np.array([True, False])
    assert one_copy_enough(once, PageType()).tolist() == [True, False]
    assert not one_copy_enough(once, PageType(documentation=0.9)).any()


FEATURES = 6


def ensemble(rng, sizes):
    """Return random trees with the given numbers of inner nodes."""
    feature, threshold, left, right, value = [], [], [], [], []

    def grow(inner):
        node = len(feature)
        for column in (feature, threshold, left, right, value):
            column.append(0)
        if not inner:
            left[node] = right[node] = node
            value[node] = rng.normal()
            return node
        feature[node], threshold[node] = rng.integers(FEATURES), rng.integers(-2, 3)
        on_the_left = int(rng.integers(inner))
        left[node] = grow(on_the_left)
        right[node] = grow(inner - 1 - on_the_left)
        return node

    roots = [grow(inner) for inner in sizes]
    return TreeEnsemble(
        feature=np.array(feature, np.int32), threshold=np.array(threshold, np.float32),
        left=np.array(left, np.int32), right=np.array(right, np.int32),
        value=np.array(value, np.float32), roots=np.array(roots, np.int32), base=0.5,
        depth=max(sizes),
    )  # fmt: skip


def obvious_tree_log_odds(trees, row):
    total = 0.0
    for root in trees.roots:
        node = root
        while trees.left[node] != node:
            goes_left = row[trees.feature[node]] <= trees.threshold[node]
            node = trees.left[node] if goes_left else trees.right[node]
        total += trees.value[node].astype(np.float64)
    return trees.base + total


@given(
    seed=st.integers(0, 1 << 30),
    sizes=st.lists(st.integers(0, 31), min_size=1, max_size=6),
    count=st.integers(1, 40),
)
def test_every_row_reaches_the_leaves_of_the_slow_twin(seed, sizes, count):
    rng = np.random.default_rng(seed)
    trees = ensemble(rng, sizes)
    rows = rng.integers(-3, 4, (count, FEATURES)).astype(np.float32)
    assert trees.log_odds(rows).tolist() == [obvious_tree_log_odds(trees, row) for row in rows]


def test_a_tree_with_too_many_leaves_is_refused():
    model = msgspec.structs.replace(shipped_model(), trees=ensemble(np.random.default_rng(3), [32]))
    with pytest.raises(CodecError, match="a tree of 33 leaves, and 32 is the most"):
        decode_model(encode_model(model))
