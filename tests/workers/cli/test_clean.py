import json

from tests.workers.builders import other_page_model

ARTICLE = (
    b"<title>A title</title><nav><a href=/>Home</a></nav><article><h1>A title</h1><p>"
    + b"A sentence of some words, and then some more of them. " * 10
)


def test_the_text_of_a_file_and_of_standard_input_is_printed(templ_process, tmp_path):
    (tmp_path / "page.html").write_bytes(ARTICLE)
    from_file = templ_process("clean", tmp_path / "page.html").stdout
    assert from_file == templ_process("clean", "-", stdin=ARTICLE).stdout
    assert b"A sentence of some words" in from_file
    assert b"Home" not in from_file


def test_the_full_record_is_printed_with_segments(templ):
    done = templ("clean", "-", "--json", "--segments", "--url", "https://x.co.uk/1", stdin=ARTICLE)
    record = json.loads(done.stdout)
    assert record["site"] == "x.co.uk"
    assert record["title"] == "A title"
    assert {segment["kept"] for segment in record["segments"]} == {True, False}
    assert all(0 <= segment["templateness"] <= 1 for segment in record["segments"])


def test_the_posts_of_a_thread_are_printed_as_records(templ):
    posts = '<script type=application/ld+json>{"@type": "QAPage"}</script>' + "".join(
        f"<div class=post><a href=/members/{n}>Ann {n}</a><p>Text {n} says that the bridge is open.</div>"
        for n in range(3)
    )
    record = json.loads(templ("clean", "-", "--records", stdin=posts.encode()).stdout)
    assert record["records"]["posts"][1] == {
        "author": "Ann 1",
        "text": "Text 1 says that the bridge is open.",
    }
    assert "records" not in json.loads(templ("clean", "-", "--json", stdin=posts.encode()).stdout)


def test_content_that_is_not_a_page_is_refused(templ_process):
    done = templ_process("clean", "-", stdin=b"%PDF-1.7 ...", expect=65)
    assert done.stderr.decode().startswith("templ: - was refused: UnsupportedContent")
    assert done.stdout == b""
    templ_process("clean", "-", stdin=b"", expect=65)


def test_the_balance_is_an_option_and_a_setting(templ, monkeypatch):
    teasers = b"".join(
        b"<div><p>Teaser %d of a page about something else</div>" % n for n in range(9)
    )
    page = ARTICLE + b"</article><aside>" + teasers + b"</aside>"
    precise, even, complete = (
        templ("clean", "-", "--balance", balance, "--segments", stdin=page).stdout
        for balance in ("precision", "even", "recall")
    )
    assert templ("clean", "-", "--segments", stdin=page).stdout == even
    versions = {json.loads(one)["cleaner_version"] for one in (precise, even, complete)}
    assert len(versions) == 3
    monkeypatch.setenv("TEMPL_BALANCE", "recall")
    assert templ("clean", "-", "--segments", stdin=page).stdout == complete
    monkeypatch.setenv("TEMPL_BALANCE", "favor_recall")
    done = templ("clean", "-", stdin=page, expect=78)
    assert done.stderr.decode() == (
        "templ: TEMPL_BALANCE='favor_recall': needs one of precision, even, recall\n"
    )


def test_the_text_can_be_printed_as_markdown_and_as_html(templ):
    page = ARTICLE + b'See <a href="/b">the other page</a> for more of such sentences.'
    url = "https://a.example/1"
    chosen = {
        form: templ("clean", "-", "--url", url, "--format", form, stdin=page).stdout
        for form in ("text", "markdown", "html")
    }
    assert b"See the other page for" in chosen["text"]
    assert b"See [the other page](https://a.example/b) for" in chosen["markdown"]
    assert b'<a href="https://a.example/b">the other page</a>' in chosen["html"]


def test_every_command_accepts_a_page_model(templ, model_file, tmp_path):
    version = other_page_model().version
    (tmp_path / "page.html").write_bytes(ARTICLE)
    for given in (
        {"arguments": ("--page-model", model_file)},
        {"environment": {"TEMPL_PAGE_MODEL": str(model_file)}},
    ):
        options, environment = given.get("arguments", ()), given.get("environment", {})
        done = templ("clean", tmp_path / "page.html", "--json", *options, **environment)
        assert json.loads(done.stdout)["page_model_version"] == version
        out = tmp_path / "out.jsonl"
        templ("run", tmp_path / "page.html", "--out", out, "--force", *options, **environment)
        assert json.loads(out.read_bytes())["page_model_version"] == version


def test_a_damaged_model_stops_every_command_with_one_line(templ, tmp_path):
    model = tmp_path / "model.bin"
    model.write_bytes(b"no model")
    (tmp_path / "page.html").write_bytes(ARTICLE)
    for command in (
        ("clean", tmp_path / "page.html"),
        ("run", tmp_path / "page.html", "--out", tmp_path / "out.jsonl"),
        ("worker", "--broker", "127.0.0.1:1", "--state", tmp_path / "state"),
    ):
        done = templ(*command, "--page-model", model, expect=78)
        assert done.stderr.decode().startswith(f"templ: page model {model}: not a page model")
        assert done.stderr.count(b"\n") == 1
    none = str(tmp_path / "none.bin")
    done = templ("clean", tmp_path / "page.html", expect=78, TEMPL_PAGE_MODEL=none)
    assert done.stderr.decode().startswith(f"templ: page model {none}: No such file")


def test_a_run_says_in_one_line_that_the_site_weights_are_not_of_this_page_model(
    templ, model_file, tmp_path
):
    (tmp_path / "page.html").write_bytes(ARTICLE)
    warning = f"page model {model_file}: the site level's weights were fitted for another"
    command = ("run", tmp_path / "page.html", "--out", tmp_path / "out.jsonl", "--force")
    assert templ(*command, "--page-model", model_file).stderr.decode().count(warning) == 1
    assert b"fitted for" not in templ(*command).stderr
