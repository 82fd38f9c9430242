"""The compiled searches in bytes find what simple ones find."""

from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.dom.decode._bytes import controls_and_points, windows_without_tags

CONTROLS = {*range(32), 127} - {9, 10, 13}
PIECES = st.sampled_from(
    [
        *(
            b"a",
            b"word " * 1000,
            b"\n",
            b"\xc3\xa9",
            "\u4e2d\u6587".encode(),
            "\U0001f600".encode(),
        ),
        *("\u20ac".encode() * 3000, b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xff"),
        *(b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xed\x9f\xbf", b"\xf4\x8f\xbf\xbf", b"\x80"),
        *(b"\x7f", b"\x0b", b"\0", b"\x1f", b"\xe4\xb8", b"<p>", b">" * 50, b"<" * 50),
    ]
)
BODIES = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=8).map(b"".join))


@given(BODIES)
@example(b"x" * 4095 + b"\xc3\xa9")
@example(b"x" * 4095 + b"\xc3")
@example(b"x" * 4094 + "\u4e2d".encode() + b"\0")
def test_control_characters_and_code_points_are_found(body):
    controls, points = controls_and_points(body)
    assert controls == bool(CONTROLS & set(body))
    try:
        expected = -1 if controls else len(body.decode())
    except UnicodeDecodeError:
        expected = -1
    assert points == expected


@given(BODIES, st.integers(1, 300))
def test_windows_in_which_no_tag_begins_or_ends_are_found(markup, size):
    expected = [
        start
        for start in range(0, len(markup), size)
        if not {*b"<>"} <= set(markup[start : start + size])
    ]
    assert windows_without_tags(markup, size) == expected
