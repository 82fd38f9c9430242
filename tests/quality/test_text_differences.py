import pytest

from tests.quality.text_differences import differences, partners, signs_of

BEFORE, BEHIND = "The council met on Monday ", " and it said that the bridge stays open"


def found(ours, shown, removed=""):
    """Return the causes of the differences of two texts, with their counts; a part of ours may be removed."""
    signs, seen = signs_of(ours), signs_of(shown)
    kept = [True] * len(signs.text)
    if removed:
        start = signs.text.index(signs_of(removed).text)
        kept[start : start + len(signs_of(removed).text)] = [False] * len(signs_of(removed).text)
    return [(one.cause, one.count) for one in differences(signs, seen, partners(signs, seen), kept)]


@pytest.mark.parametrize(
    ("ours", "shown", "differences_found"),
    [
        ("in the town", "in  the\t town", []),
        ("in\n the town", "in\n\nthe town", []),
        ("in the town", "in ★★ the town", [("lost sign", 2)]),
        ("in the town", "in our nice the town", [("lost text", 7)]),
        ("in to\nwn", "in town", [("torn word", 1)]),
        ("in the\ntown", "in the town", [("torn line", 1)]),
        ("in the to wn", "in the town", [("split word", 1)]),
        ("in thetown", "in the town", [("glued words", 1)]),
        ("in thetown", "in the\ntown", [("glued lines", 1)]),
        ("in the town", "in the\ntown", [("joined lines", 1)]),
        ("in the 7004♠ town", "in the town", [("hidden text", 5)]),
        ("in the to\u00adwn", "in the town", [("invisible sign", 1)]),
        ("in the town ¶", "in the town", [("sign not shown", 1)]),
        ("in the town", "in \u200d the town", []),
        ("in the xyz town", "in the uvw town", [("other", 6)]),
        ("in the\n✓\ntown", "in the town", [("sign not shown", 1), ("torn line", 1)]),
    ],
)
def test_a_difference_has_its_cause(ours, shown, differences_found):
    assert found(f"{BEFORE}{ours}{BEHIND}", f"{BEFORE}{shown}{BEHIND}") == differences_found


def test_only_what_stands_within_kept_text_counts():
    menu = "Home News Sport"
    ours, shown = f"{BEFORE}\n{menu}\n{BEHIND}", f"{BEFORE}\n★ Home\nNews and Sport ★\n{BEHIND}"
    assert found(ours, shown, removed=menu) == []
    assert found(ours, shown) == [
        *(("lost sign", 1), ("joined lines", 1), ("lost text", 3), ("lost sign", 1)),
    ]


def test_what_is_removed_from_a_line_cuts_it_but_a_cell_may_go():
    ours = f"{BEFORE}\ndriven piers\n{BEHIND}"
    for between, count in ((" driven piers ", 1), ("\tdriven piers\t", 0), ("\ndriven piers ", 0)):
        cut = found(ours, f"{BEFORE}{between}{BEHIND}", removed="driven piers")
        assert cut == [("cut line", len("drivenpiers"))] * count


def test_repeated_lines_are_laid_side_by_side_in_order():
    lines = [f"{name}\nReply Share\nReply Share" for name in ("Ann", "Bob", "Cem")]
    shown = "\n".join(lines)
    assert found(shown.replace("Bob\nReply Share", "Bob\nReply\nShare"), shown) == [
        ("torn line", 1)
    ]
    assert found(shown, shown) == []


def test_long_texts_without_a_word_in_common_take_no_time():
    assert found("a" * 100_000, "b" * 100_000) == [("hidden text", 100_000)]
    assert len(found("a b " * 50_000, "b c " * 50_000)) < 10
