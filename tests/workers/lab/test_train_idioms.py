import json


def test_strings_in_the_content_of_all_sites_are_listed(templ, tmp_path):
    pages, out = tmp_path / "pages.jsonl", tmp_path / "idioms.json"
    records = [
        {
            "site": f"{name}.org",
            "url": f"http://{name}.org/",
            "html": f"<ul><li>Home of {name}<li>See all of our news {name}</ul>"
            f"<div><p>Here {name} as well as the {name}</p></div>",
            "gold_text": f"Here {name} as well as the {name}",
            "gold_selector": "div",
        }
        for name in ("ant", "bee", "cat")
    ]
    pages.write_text("\n".join(map(json.dumps, records)))
    templ("train-idioms", pages, "--sites-min", 3, "--out", out)
    assert json.loads(out.read_bytes()) == {
        "format": 1,
        "sites": 3,
        "sites_min": 3,
        "idioms": ["as well as the"],
    }


def test_a_corpus_without_gold_is_refused_in_one_line(templ, tmp_path):
    pages = tmp_path / "pages.jsonl"
    pages.write_text('{"url": "http://a.org/", "html": "<p>a"}')
    done = templ("train-idioms", pages, "--out", tmp_path / "out.json", expect=66)
    assert "no page has `gold_text`" in done.stderr.decode()
