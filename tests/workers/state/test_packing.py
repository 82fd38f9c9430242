import pytest
import zstandard

from templ_core.errors import CodecError
from tests.workers.hostile_site_models import SAYS_SIX_GIB
from workers.errors import StateProblem
from workers.state.database import MemoryDatabase
from workers.state.packing import Packer, Packers, content_of, dictionary_key, plain_frame


@pytest.mark.parametrize("value", [b"", b"nonsense", SAYS_SIX_GIB, zstandard.compress(b"a")[:-1]])
@pytest.mark.parametrize(
    "read",
    [content_of, Packer(b"").content, Packer(b"dictionary").content],
    ids=["plain", "packed", "with a dictionary"],
)
def test_values_that_are_no_frames_or_too_large_are_refused(read, value):
    with pytest.raises(CodecError):
        read(value)


def test_values_packed_with_a_dictionary_are_read_with_it():
    database = MemoryDatabase(("dictionaries",))
    dictionary = b"boats on the river"
    database.put("dictionaries", dictionary_key("site", 4), plain_frame(dictionary))
    packed = Packer(dictionary).pack(b"many boats on the river")
    assert Packers(database).of("site", 4).content(packed) == b"many boats on the river"
    assert Packers(database).of("site", 0).content(plain_frame(b"river")) == b"river"


def test_damaged_dictionaries_are_refused():
    database = MemoryDatabase(("dictionaries",))
    database.put("dictionaries", dictionary_key("site", 4), zstandard.compress(b"a")[:-1])
    with pytest.raises(CodecError):
        Packers(database).of("site", 4)
    with pytest.raises(StateProblem, match="the window of site lacks a dictionary"):
        Packers(database).of("site", 20)
