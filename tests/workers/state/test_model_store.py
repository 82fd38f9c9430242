import msgspec
import pytest

from schemas.codec import NewerFormatError, SchemaError, encode_msgpack
from schemas.site_model import SITE_MODEL_FORMAT
from tests.workers.builders import site_model_record
from workers.state.model_store import ModelStore


@pytest.fixture
def store(tmp_path):
    opened = ModelStore(tmp_path / "models")
    yield opened
    opened.close()


def test_the_newest_model_of_a_site_is_kept_until_a_null_value_removes_it(store):
    store.put("example.com", encode_msgpack(site_model_record("v1")), 0, 5)
    store.put("example.com", encode_msgpack(site_model_record("v2")), 0, 6)
    assert store.get("example.com").version == "v2"
    assert store.get("other.com") is None
    store.put("example.com", None, 0, 7)
    assert store.get("example.com") is None
    assert store.next_offset(0) == 8
    assert store.next_offset(1) == 0


def test_a_model_of_a_newer_format_is_refused(store):
    store.put("example.com", encode_msgpack(site_model_record("v1")), 0, 5)
    newer = encode_msgpack(
        msgspec.structs.replace(site_model_record("v2"), format=SITE_MODEL_FORMAT + 1)
    )
    with pytest.raises(NewerFormatError, match="upgrade"):
        store.put("example.com", newer, 0, 6)
    assert store.get("example.com").version == "v1"


def test_a_cleared_store_is_empty_and_reads_from_the_beginning(store):
    store.put("example.com", encode_msgpack(site_model_record("v1")), 0, 5)
    store.clear()
    assert store.get("example.com") is None
    assert store.next_offset(0) == 0


def test_models_and_where_they_were_read_survive_a_restart(tmp_path):
    first = ModelStore(tmp_path / "models")
    first.put("example.com", encode_msgpack(site_model_record("v1")), 3, 70_000)
    first.put("gone.com", encode_msgpack(site_model_record("v1")), 3, 70_001)
    first.put("gone.com", None, 3, 70_002)
    first.close()
    again = ModelStore(tmp_path / "models")
    assert again.get("example.com") == site_model_record("v1")
    assert again.next_offset(3) == 70_003
    assert again.origin("example.com") == "partition 3, offset 70000"
    assert again.origin("gone.com") == again.origin("other.com") == ""
    again.close()


@pytest.mark.parametrize("documents", [-1, 1 << 31, (1 << 64) - 1])
def test_a_model_of_an_impossible_number_of_documents_is_refused(store, documents):
    with pytest.raises(SchemaError, match="documents"):
        store.put("example.com", encode_msgpack(site_model_record("v1", documents=documents)), 0, 5)
