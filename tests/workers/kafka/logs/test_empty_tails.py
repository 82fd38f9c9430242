"""What is known of the offsets behind the last record of a partition."""

from workers.kafka.logs.fetched import EmptyTails


def test_an_offset_moves_to_the_end_of_a_tail_that_it_lies_in_and_of_no_other():
    tails = EmptyTails()
    assert tails.end_after("pages", 0, 5) == 5
    tails.note("pages", 0, 5, 8)
    assert [tails.end_after("pages", 0, one) for one in (4, 5, 7, 8)] == [4, 8, 8, 8]
    assert tails.end_after("pages", 1, 5) == 5
    tails.drop("pages", 0)
    assert tails.end_after("pages", 0, 5) == 5


def test_a_tail_grows_with_fetches_that_go_on_where_it_ended_and_begins_behind_a_later_record():
    tails = EmptyTails()
    tails.note("pages", 0, 5, 8)
    tails.note("pages", 0, 8, 11)
    assert tails.end_after("pages", 0, 5) == 11
    tails.note("pages", 0, 14, 15)
    assert [tails.end_after("pages", 0, one) for one in (5, 11, 14)] == [5, 11, 15]
