import json


def test_a_perfect_output_scores_one_and_an_empty_one_nothing(templ, tmp_path, feed):
    templ("run", feed, "--out", tmp_path / "out.jsonl")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    gold = [json.loads(line)["gold_text"] for line in feed.read_bytes().splitlines()]
    for texts, expected in ((gold, 1.0), ([""] * 60, 0.0)):
        lines = [
            json.dumps(record | {"text": text or ""})
            for record, text in zip(records, texts, strict=True)
        ]
        (tmp_path / "scored.jsonl").write_text("\n".join(lines))
        done = templ("evaluate", feed, tmp_path / "scored.jsonl", "--json")
        figures = json.loads(done.stdout)["all"]["all pages"]
        assert figures["f1"] == expected
        assert figures["pages"] == sum(1 for text in gold if text)


def test_the_simulated_feed_is_cleaned_well(templ, tmp_path, feed):
    templ("run", feed, "--out", tmp_path / "out.jsonl")
    done = templ("evaluate", feed, tmp_path / "out.jsonl", "--json")
    figures = json.loads(done.stdout)
    assert figures["all"]["all pages"]["f1"] > 0.9
    assert (
        sum(group["pages"] for group in figures["site"].values())
        == (figures["all"]["all pages"]["pages"])
    )


def test_mistakes_are_one_line(templ, tmp_path, feed):
    (tmp_path / "wrong.jsonl").write_text('{"no": "record"}\n')
    (tmp_path / "plain.jsonl").write_text('{"url": "https://a.com/", "html": "x"}\n')
    (tmp_path / "empty.jsonl").write_text("")
    cases = [
        (feed, tmp_path / "wrong.jsonl", "not a cleaned record"),
        (tmp_path / "plain.jsonl", tmp_path / "empty.jsonl", "gold_text"),
        (tmp_path / "none.jsonl", tmp_path / "empty.jsonl", "none.jsonl"),
    ]
    for corpus, out, words in cases:
        done = templ("evaluate", corpus, out, expect=66)
        assert words in done.stderr.decode()
        assert done.stderr.count(b"\n") == 1
