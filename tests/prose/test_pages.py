"""Links of the pages lead somewhere, and their commands, settings and modules exist."""

import re
import shlex
from importlib.util import find_spec

import click
import pytest

from schemas.topics import TOPICS
from tests.prose.pages import (
    DESCRIBING,
    PAGES,
    ROOT,
    anchors_of,
    name_of,
    prose_of,
    shell_lines,
)
from workers.cli.main import templ
from workers.kafka.broker.admin import (
    FEED_RIGHTS,
    SEED_RIGHTS,
    WATCH_RIGHTS,
    WORKER_RIGHTS,
)
from workers.settings import SITE_SETTINGS_FILE, setting_types

_VARIABLES = {"TEMPL_" + name.upper() for name in setting_types()}
_SECRETS = {
    f"TEMPL_{name.upper()}_FILE" for name, kind in setting_types().items() if kind.is_secret
}
_OF_SCRAPY = "TEMPL_PAGES"
"""Setting of the item pipeline, which Scrapy reads."""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    broken = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose_of(page)):
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        known = target.exists() and (not fragment or fragment in anchors_of(target))
        broken += [] if known else [link]
    assert broken == []


def test_every_page_of_docs_is_named_in_the_readme():
    readme = (ROOT / "README.md").read_text("utf-8")
    docs = [f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")]
    assert len(docs) > 10
    assert [page for page in docs if f"({page})" not in readme] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def unknown_parts(words):
    """Yield the words of a command of templ that are neither commands nor options of it."""
    command = templ
    context = click.Context(templ)
    for word in words:
        if word.isupper():  # stands for a name
            return
        if isinstance(command, click.Group) and not word.startswith("-"):
            subcommand = command.get_command(context, word)
            if subcommand is None:
                yield word
                return
            command, context = subcommand, click.Context(subcommand, parent=context)
        elif word.startswith("-") and word != "-":
            options = {"--help", "--version"}.union(
                *([*one.opts, *one.secondary_opts] for one in command.params)
            )
            if word.partition("=")[0] not in options:
                yield word


def commands_of_templ(line):
    """Yield the words behind each `templ` that begins a command in a line of shell."""
    for part in re.findall(r"(?:^|[;&'] ?|-- |worker |\w=\S+ )(?:/\S+/)?templ ([^;&|]+)", line):
        is_quoted = part.count("'") % 2
        yield shlex.split(part.replace("'", "") if is_quoted else part)


@pytest.mark.parametrize("page", DESCRIBING, ids=name_of)
def test_commands_of_templ_exist(page):
    inline = re.findall(r"`(templ [a-z][^`]*)`", prose_of(page))
    lines = [*shell_lines(page), *(" ".join(line.split()) for line in inline)]
    links = {
        line: wrong
        for line in lines
        for words in commands_of_templ(line)
        if (wrong := list(unknown_parts(words)))
    }
    assert links == {}


def test_a_wrong_command_is_seen():
    lines = (
        "templ rum x",
        "A=b templ run x --fast",
        "sh -c 'templ site pim'",
        "templ run x --force",
    )
    unknown = [list(unknown_parts(next(commands_of_templ(line)))) for line in lines]
    assert unknown == [["rum"], ["--fast"], ["pim"], []]


@pytest.mark.parametrize("page", DESCRIBING, ids=name_of)
def test_settings_exist(page):
    variables = set(re.findall(r"\bTEMPL_[A-Z_]*[A-Z]\b(?!_\.\.\.)", page.read_text("utf-8")))
    assert variables - _VARIABLES - _SECRETS - {SITE_SETTINGS_FILE, _OF_SCRAPY} == set()


@pytest.mark.parametrize("page", DESCRIBING, ids=name_of)
def test_modules_and_targets_exist(page):
    text = page.read_text("utf-8")
    modules = re.findall(r"python -m ((?:tests|workers)[\w.]+)", " ".join(text.split()))
    assert [name for name in modules if find_spec(name) is None] == []
    commands = "\n".join([*shell_lines(page), *re.findall(r"`(make [^`]+)`", text)])
    targets = re.findall(r"^make ([a-z-]+)", commands, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


@pytest.mark.parametrize("page", DESCRIBING, ids=name_of)
def test_files_that_are_named_exist(page):
    folders = "templ_core|workers|schemas|tests|deploy|docs"
    named = re.findall(rf"`((?:{folders})/[\w./-]*[\w/])`", prose_of(page))
    places = (ROOT, page.parent)
    assert [one for one in named if not any((at / one).exists() for at in places)] == []


@pytest.mark.parametrize(
    ("command", "rights"),
    [
        ("worker", WORKER_RIGHTS),
        ("watch", WATCH_RIGHTS),
        ("feed", FEED_RIGHTS),
        ("seed", SEED_RIGHTS),
    ],
)
def test_the_rights_are_those_that_the_code_checks(command, rights):
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    (row,) = re.findall(rf"^\| `templ {command}` \| (.*) \|$", page, re.MULTILINE)
    written = {}
    for clause in row.split("; "):
        for topic in set(re.findall(r"`([\w.-]+)`", clause)) & TOPICS.keys():
            written[topic] = {one for one in ("Read", "Write") if one in clause}
    assert written == {topic: {one.label for one in needed} for topic, needed in rights.items()}
