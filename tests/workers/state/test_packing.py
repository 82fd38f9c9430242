import pytest
import zstandard

from templ_core.errors import CodecError
from tests.workers.hostile_site_models import SAYS_SIX_GIB
from workers.state.memory import MemoryDatabase
from workers.state.packing import Packer, Packers, content_of, make_dictionaries


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
    stored, packers = make_dictionaries([b"boats on the river"], [b"summary"])
    database = MemoryDatabase(("dictionaries",))
    database.put("dictionaries", b"site", stored)
    packed = packers.bodies.pack(b"many boats on the river")
    assert Packers(database).of("site").bodies.content(packed) == b"many boats on the river"


def test_damaged_dictionaries_are_refused():
    database = MemoryDatabase(("dictionaries",))
    database.put("dictionaries", b"site", zstandard.compress(b"\x92\x01\x02"))
    with pytest.raises(CodecError, match="not the dictionaries of a site"):
        Packers(database).of("site")
