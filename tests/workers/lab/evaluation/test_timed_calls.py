from workers.lab.evaluation.judge import time_calls


def test_each_call_runs_first_once_and_an_error_affects_no_other_call():
    def fail():
        raise ValueError("no such page\nand more")

    calls = {"a": lambda: 1, "b": fail, "c": lambda: None}
    orders = []
    for first in range(3):
        timed = time_calls(calls, first)
        orders.append(list(timed))
        assert timed["a"].value == 1
        assert timed["b"].failure == "ValueError: no such page"
        assert all(turn.seconds >= 0 for turn in timed.values())
    assert [order[0] for order in orders] == ["a", "b", "c"]
    assert time_calls({}, 5) == {}
