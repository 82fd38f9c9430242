from templ_core.min_hashes import HASHES, are_near_duplicates, min_hashes

TEXT = " ".join(f"word{number}" for number in range(100))


def test_case_and_punctuation_do_not_matter():
    assert are_near_duplicates(min_hashes(TEXT), min_hashes(TEXT.upper().replace(" ", ", ")))
    assert len(min_hashes(TEXT)) == HASHES


def test_texts_without_a_common_shingle_are_no_near_duplicates():
    other = " ".join(reversed(TEXT.split()))
    assert not min_hashes(TEXT) & min_hashes(other)
    assert not are_near_duplicates(min_hashes(TEXT), min_hashes(other))


def test_a_small_change_keeps_most_hashes():
    assert are_near_duplicates(min_hashes(TEXT), min_hashes(TEXT + " one more sentence here"))


def test_short_and_empty_texts():
    assert len(min_hashes("two words")) == 1
    assert min_hashes("") == frozenset()
    assert not are_near_duplicates(min_hashes(""), min_hashes(""))
