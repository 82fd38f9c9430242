import msgspec
import numpy as np
import pytest

from templ_core.page_level.model.model_file import encode_model, shipped_model
from tests.workers.builders import other_page_model, page
from workers.errors import UsageProblem
from workers.pipeline.site_engine import SiteEngine
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.pool import Pool
from workers.settings import load_settings

ARTICLE = b"<nav><a href=/>Home</a></nav><p>" + b"A sentence of some words, and more. " * 20


@pytest.fixture
def model_file(tmp_path):
    path = tmp_path / "own.bin"
    path.write_bytes(encode_model(other_page_model()))
    return path


def test_children_use_the_page_model_and_records_have_its_version(model_file):
    settings = load_settings(page_model=model_file)
    pool = Pool(settings, children=1)
    model_file.unlink()
    try:
        outcome = SiteEngine(pool, settings).clean(page(1, ARTICLE))
    finally:
        pool.close()
    assert outcome.record.page_model_version == other_page_model().version
    assert outcome.document.page_model_version == other_page_model().version
    assert "Home" in outcome.record.text
    assert 0 < outcome.record.confidence <= 1


def test_without_a_file_the_shipped_model_is_used():
    assert page_model_of(read_model_file(None)) is shipped_model()


def test_a_file_that_is_not_a_page_model_is_reported_in_one_line(model_file, tmp_path):
    good = model_file.read_bytes()
    misfit = msgspec.structs.replace(
        shipped_model(),
        networks=[
            msgspec.structs.replace(
                one,
                mean=np.append(one.mean, one.mean[:1]),
                scale=np.append(one.scale, one.scale[:1]),
                weights=[np.concatenate([one.weights[0], one.weights[0][:1]]), *one.weights[1:]],
            )
            for one in shipped_model().networks
        ],
    )
    cases = {
        "foreign": (b"\x89PNG\r\n\x1a\n", "not a page model"),
        "empty": (b"", "not a page model"),
        "cut": (good[:-100], "not a page model: decompression"),
        "changed": (good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], "checksum|corruption"),
        "misfit": (encode_model(misfit), "does not fit"),
    }
    for name, (body, words) in cases.items():
        path = tmp_path / name
        path.write_bytes(body)
        with pytest.raises(UsageProblem, match=words) as problem:
            read_model_file(path)
        assert str(path) in str(problem.value)
        assert "\n" not in str(problem.value)
    with pytest.raises(UsageProblem, match="No such file"):
        read_model_file(tmp_path / "none")
