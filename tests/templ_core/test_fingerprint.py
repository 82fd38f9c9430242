from templ_core.fingerprint import simhash

TEXT = " ".join(f"word{n} follows word{n * 7 % 101}" for n in range(300))


def distance(one, other):
    return (one ^ other).bit_count()


def test_a_small_change_flips_few_bits_and_another_text_many():
    changed = TEXT.replace("word150 ", "other ")
    another = " ".join(f"entry{n} after entry{n * 3 % 97}" for n in range(300))
    assert distance(simhash(TEXT), simhash(changed)) <= 3
    assert distance(simhash(TEXT), simhash(another)) > 10


def test_case_and_white_space_do_not_matter():
    assert simhash("One two  three FOUR") == simhash("one two three four")


def test_short_and_empty_texts():
    assert simhash("") is None
    assert simhash("...") is None
    assert simhash("one") == simhash("One")
