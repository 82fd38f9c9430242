import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.config import CoreConfig
from templ_core.errors import CodecError
from templ_core.site_level.frequency import count_nodes, node_hashes
from templ_core.site_level.site_model import (
    SIZE_LIMIT_BYTES,
    Contribution,
    decode_site_model,
    encode_site_model,
    fit_site_model,
)

CONFIG = CoreConfig()


def contribution(name, texts, digest=None):
    return Contribution(
        page_id=name, content_digest=(digest or name).encode(), nodes=node_hashes(texts)
    )


@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=8))
def test_counts_are_pages_not_occurrences(pages):
    frequency = count_nodes([node_hashes(page) for page in pages], pages_min=1)
    expected = [sum(letter in page for page in pages) for letter in "abcdefgh"]
    assert frequency.pages_with(node_hashes(list("abcdefgh"))).tolist() == expected


def test_white_space_and_case_do_not_tell_texts_apart():
    one, other, third = node_hashes(["Read  more", "read more", "read less"])
    assert one == other
    assert one != third


def test_exact_repeats_count_once():
    window = [contribution(f"p{n}", ["menu", "article"], digest="same") for n in range(10)]
    model = fit_site_model([*window, contribution("q", ["menu"])], "page-1", CONFIG)
    assert model.documents == 2
    assert model.frequency.pages_with(node_hashes(["menu", "article"])).tolist() == [2, 0]


def test_equal_windows_give_equal_bytes_and_versions():
    window = [contribution(f"p{n}", ["menu", f"article {n}"]) for n in range(5)]
    one = fit_site_model(window, "page-1", CONFIG)
    assert encode_site_model(one) == encode_site_model(fit_site_model(window, "page-1", CONFIG))
    assert fit_site_model(window[1:], "page-1", CONFIG).version != one.version
    assert fit_site_model(window, "page-2", CONFIG).version != one.version


def test_a_model_survives_its_compact_form():
    model = fit_site_model([contribution(f"p{n}", ["menu", "foot"]) for n in range(3)], "p", CONFIG)
    again = decode_site_model(encode_site_model(model))
    assert again.version == model.version
    assert again.documents == 3
    assert again.frequency.nodes.tolist() == model.frequency.nodes.tolist()
    assert again.frequency.counts.tolist() == [3, 3]


def test_a_model_keeps_its_most_frequent_nodes_when_it_grows_too_large():
    room = SIZE_LIMIT_BYTES // 12
    everywhere = np.arange(10, dtype=np.uint64)
    rare = np.arange(10, 10 + 2 * room, dtype=np.uint64)
    window = [
        Contribution(page_id=str(n), content_digest=bytes([n]), nodes=nodes)
        for n, nodes in enumerate([np.concatenate([everywhere, rare])] * 2 + [everywhere])
    ]
    model = fit_site_model(window, "page-1", CONFIG)
    assert model.frequency.nodes.size == room
    assert model.frequency.pages_with(everywhere).tolist() == [3] * 10
    assert len(encode_site_model(model)) <= SIZE_LIMIT_BYTES


@pytest.mark.parametrize("damaged", [b"", b"nonsense", b"\x28\xb5\x2f\xfd\x00\x00"])
def test_bytes_that_are_no_model_are_refused(damaged):
    with pytest.raises(CodecError):
        decode_site_model(damaged)
