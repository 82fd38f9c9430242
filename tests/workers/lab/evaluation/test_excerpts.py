from workers.lab.evaluation.scoring import lines_missing_from


def test_only_lines_missing_from_the_other_text_are_returned():
    gold = "The council met on Tuesday.\nIt voted for the plan.\nHome"
    text = "Menu\nThe council met on Tuesday.\nRead more of this\nHome\n"
    assert lines_missing_from(text, gold) == "Menu\nRead more of this"
    assert lines_missing_from(gold, text) == "It voted for the plan."
    assert lines_missing_from("", gold) == ""
    assert lines_missing_from("...", gold) == ""


def test_long_excerpts_are_cut():
    found = lines_missing_from("\n".join(f"line number {n} of it" for n in range(1000)), "")
    assert len(found) < 1600
    assert found.endswith(" ...")
