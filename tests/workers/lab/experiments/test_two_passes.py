import json

from click.testing import CliRunner

from workers.lab.experiments.two_passes import two_passes


def test_both_ways_of_cleaning_are_scored_by_the_place_of_a_page_in_its_site(tmp_path):
    path = tmp_path / "pages.jsonl"
    with path.open("w") as file:
        for number in range(7):
            for site in ("a.example", "b.example"):
                text = f"Seven boats numbered {number} sailed slowly towards the islands of {site}."
                html = f"<ul><li><a href=/>Home</a></ul><div id=main><p>{text}</p></div>"
                record = {"site": site, "url": f"http://{site}/{number}", "html": html}
                when = f"2026-01-0{number + 1}T00:00:00Z"
                gold = text if number else None
                file.write(json.dumps(record | {"gold_text": gold, "fetched_at": when}) + "\n")
    done = CliRunner().invoke(two_passes, [str(path), "--time-field", "fetched_at"])
    assert done.exit_code == 0, done.exception
    rows = [line.split("│")[1:-1] for line in done.output.splitlines() if line.startswith("│")]
    counts = {name.strip(): int(pages) for name, pages, *_ in rows}
    assert counts == {"1": 0, "1-5": 8, "6-25": 4, "26-": 0, "all": 12}
