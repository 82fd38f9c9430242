"""A mistake on the command line ends with one line and an exit code, and writes nothing."""

import shlex
import shutil

import pytest

RULE = "site override a.org --site-settings {new}"
TWO_PASS = "run {feed} --two-pass --out {new}"


@pytest.fixture(scope="module")
def given(selected, selected_state, tmp_path_factory):
    """Return a folder with what the commands name; all of it must stay as it is."""
    folder = tmp_path_factory.mktemp("given")
    shutil.copytree(selected_state, folder / "state")
    shutil.copy(selected, folder / "feed.jsonl")
    shutil.copy(selected_state.parent / "out.jsonl", folder)
    (folder / "empty").mkdir()
    (folder / "empty.html").touch()
    (folder / "pages.parquet").touch()
    return folder


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("clean none.html", 66, "none.html: No such file"),
        ("clean {feed}", 66, "feed.jsonl holds records, not one page: give it to `templ run`"),
        ("console --state {new}", 2, "is no state directory of `templ run`"),
        ("diff http://a.org/9 --before {state} --after {state}", 66, "no page http://a.org/9"),
        ("diff http://xa.org/9 --before {state} --after {state}", 66, "; --site KEY names the site"),
        ("inspect page http://xa.org/9 --state {state}", 66, "; --site KEY names the site"),
        ("crawl mailto:a@b.example --to jsonl --dir {new} --contact a@b", 2, "neither a file nor an"),
        ("crawl a.example --to jsonl --dir {new} --contact ' '", 2, "--contact is empty: name a page"),
        ("crawl sites.txt --to jsonl --dir {new} --contact a@b", 66, "sites.txt is no file: check the"),
        ("crawl ./sites --to jsonl --dir {new} --contact a@b", 66, "./sites is no file: check the"),
        ("crawl nothing --to jsonl --dir {new} --contact a@b", 2, "nothing is neither a file"),
        ("index --index {new}", 2, "give files that `templ run` wrote, or --broker"),
        ("index {feed} --index {new} --follow", 2, "leave the files out"),
        ("index {feed} --index {feed}", 2, "is the input"),
        ("index none.jsonl --index {new}", 66, "none.jsonl does not exist: check the path"),
        ("serach bridge", 2, "No such command 'serach'. Did you mean 'search'?"),
        ("run https://a.example/ --out {new}", 66, "is an address, and nothing is fetched: `templ crawl`"),
        ("clean https://a.example/", 66, "give a page in a file, or - for standard input; nothing is"),
        ("run {given}/pages.parquet --out {new}", 66, "is Parquet, which is only written: make JSON Lines"),
        ("run {feed} --out {new} --language english", 2, "'english' is no code of a language, such as en"),
        ("index {feed}", 2, "give either --index or --to: an SQLite file such as index.db, or a server"),
        ("search bridge --index {new} --since yesterday", 2, "'yesterday' is no day such as 2026-01-31"),
        ("run {feed} --out {new}.csv", 2, "as JSON Lines (.jsonl) or Parquet (.parquet); give such a name"),
        ("simulate --out {given}/out.jsonl", 2, "has pages that were not simulated; name another file"),
        ("evaluate {given}/empty.html", 66, "empty.html is empty: give pages with `gold_text`"),
        ("topics check", 2, "Missing option '--broker'"),
        ("topics create --broker x:1 --partitions 0", 2, "'--partitions': 0 is not"),
        ("topics check --broker nowhere", 2, "the address of a broker is HOST:PORT, not 'nowhere'"),
        ("topics check --broker http://a.example:9092", 2, "HOST:PORT, not 'http://a.example:9092'"),
        ("inspect page https://a.example/x --out {new}", 66, "nothing is fetched"),
        ("inspect page http://a.org/x --site a.org --state {state} --out {new}", 66,
         "has no page http://a.org/x"),
        ("inspect page nowhere.html --out {new}", 66, "nowhere.html: No such file"),
        ("inspect page {given}/empty.html --out {new}", 65, "empty.html was refused: EmptyPage"),
        ("inspect site xa.org --state {state}", 66, "knows no site xa.org; there is a.org"),
        ("feed {feed} --broker 127.0.0.1:1 --dead-letters {feed}", 2, "is the input {feed} too"),
        ("run {feed} --out {feed}", 2, "is the input {feed} too; give another file"),
        ("run {feed} --out {new} --dead-letters {feed}", 2, "is the input {feed} too"),
        ("run {feed} --out {new} --dead-letters {new}", 2, "is --out too; give another file"),
        ("feed", 2, "either files or --from-topic"),
        ("feed a.warc --from-topic pages", 2, "either files or --from-topic"),
        ("feed --by-time a.warc", 2, "--broker"),
        ("feed --by-time a.warc --to {new} --group g", 2, "--group is for --from-topic"),
        ("feed --by-time {feed} --to {feed}", 2, "is the input"),
        ("feed a.warc --broker a:1 --since 2026-01-01", 2, "need --by-time"),
        ("feed a.warc --to {new}", 2, "--to needs --by-time"),
        ("feed --from-topic pages --to {new}", 2, "needs --from-broker"),
        ("run - --two-pass --out {new}", 2, "standard input only once: give files"),
        (TWO_PASS + " --page-only", 2, "so --page-only has no effect: drop it"),
        (TWO_PASS + " --revisions", 2, "so --revisions has no effect: drop it"),
        ("run {feed} --out {new} --wrokers 2", 2, "No such option"),
        ("run {feed} --out {new} --page-only --state {state}", 2, "drop one of them"),
        ("run {feed} --out {new} --state ''", 2, "is empty"),
        ("run {feed} --out {new} --resume --force", 2, "give one of them"),
        ("run {feed} --out {new}/out.jsonl", 2, "make its folder first: mkdir -p {new}"),
        ("run {feed} --out /dev/null --dead-letters {new}/dead.jsonl", 2, "No such file"),
        ("run {feed} --out {given}/empty.html/out.jsonl", 2, "--out"),
        ("run {feed} --out {new} --state {given}", 73, "other files: name a new or empty one"),
        ("run {feed} --out {new} --changes --page-only", 2, "so --changes has no effect: drop one"),
        (TWO_PASS + " --changes", 2, "so --changes has no effect: drop it"),
        ("run {feed} --out {new} --changes --resume --state {state}", 2, "which --changes of a kept"),
        ("run {feed} --out {new} --events {new}.e --resume --state {state}", 2, "which --events of a kept"),
        ("run {feed} --out {new} --revisions --resume --state {state}", 2, "which --revisions of"),
        ("diff http://a.org/9 --before {given}/out.jsonl --after {state}", 66, "no record of http://a"),
        ("diff http://a.org/1 --before {given}/out.jsonl --after {state} --format html", 66,
         "has no html: write it with `templ run --format html`"),
        ("dlq list --broker a:1 --since soon", 2, "soon is no time; write one as"),
        ("feed --by-time a.warc --to {new} --since 2h", 2, "2h is no time; write one as"),
        ("shadow --state {state}", 2, "give what is to be tried"),
        ("shadow --comments keep --state ''", 2, "is empty; name a file or directory"),
        ("site export nowhere.example --state {state}", 66, "knows no site nowhere.example; there is"),
        ("site export a.org --state {given}/empty", 73, "is no state directory"),
        ("site export a.org", 2, "give either --state or --broker"),
        ("site export a.org --state {state} --broker b:1", 2, "give either --state or --broker"),
        ("site forget a.org --yes --state ''", 2, "is empty; name a file or directory"),
        ("site list --state {new}", 73, "is no state directory"),
        ("site override a.org", 2, "give one of --broker, --site-settings and --state"),
        ("site override a.org --state {state}/models", 2, "no state directory"),
        ("site override https://a.org/1 --keep p --site-settings {new}", 2,
         "https://a.org/1 is a URL, not the key of a site"),
        (RULE + " --remove 'div >'", 2, "is no CSS selector"),
        (RULE + " --remove-text '*'", 2, "matches every text"),
        (RULE + " --window-days nan", 2, "at most 36500 days"),
        ("site reset a.org --state {state} --site-settings x", 2,
         "give one of --broker, --site-settings and --state"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_changes_nothing(templ, given, tmp_path, command, code, words):
    new = tmp_path / "new"
    names = {"given": given, "state": given / "state", "feed": given / "feed.jsonl", "new": new}
    before = files_of(given)
    done = templ(*shlex.split(command.format(**names)), expect=code)
    *hints, line = done.stderr.decode().splitlines()
    assert all(one.startswith(("Usage: ", "Try ", "note: ")) for one in hints if one)
    assert line.startswith(("templ: ", "Error: "))
    assert words.format(**names) in line
    assert files_of(given) == before
    assert not new.exists()
