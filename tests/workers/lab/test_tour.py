"""The page that `make run` ends with shows pages, a curve and a site, and fetches nothing."""

from workers.lab.tour import CurveGroup, _FeedPage, learning_curve


def test_a_run_on_a_synthetic_feed_is_shown(templ, feed, tmp_path):
    out, state, curve = tmp_path / "out.jsonl", tmp_path / "state", tmp_path / "curve.svg"
    templ("run", feed, "--out", out, "--state", state)
    command = ("tour", feed, out, "--state", state, "--out", tmp_path / "tour.html")
    said = templ(*command, "--curve", curve).stderr.decode()
    assert said == f"written to {tmp_path / 'tour.html'}\nwritten to {curve}\n"
    page = (tmp_path / "tour.html").read_text()
    assert page.count("<iframe") == page.count('sandbox=""') == 3
    assert "What is known of" in page
    assert "<script" not in page
    assert curve.read_text().startswith("<svg")
    wrong = templ("tour", out, out, "--state", state, "--out", tmp_path / "x.html", expect=66)
    assert "is no feed of `templ simulate`" in str(wrong.stderr)


def test_the_learning_curve_groups_pages_by_how_many_came_before_them():
    pages = [_FeedPage(f"u{n}", site, "", "article", "one two") for n, site in enumerate("aabaa")]
    texts = {0: "one", 1: "one two", 2: "one two", 4: "one two"}
    assert learning_curve(pages, texts) == [
        CurveGroup(first_page=1, pages=2, word_f1=(2 / 3 + 1) / 2),
        CurveGroup(first_page=2, pages=1, word_f1=1.0),
        CurveGroup(first_page=3, pages=1, word_f1=1.0),
    ]
