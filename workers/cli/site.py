"""`templ site`: what was learned of one site, and what operators decide about it."""

from __future__ import annotations

import asyncio
import functools
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from schemas.codec import SchemaError, decode_site_model_record, encode_json
from schemas.site_model import SiteModelRecord
from schemas.site_settings import SiteSettingsRecord
from templ_core.site_key import site_key
from templ_core.times import rfc3339
from workers.cli.inputs import refuse_filled
from workers.cli.lazy import require_extra
from workers.cli.options import (
    NAMED_PATH,
    STATE_PATH,
    Command,
    SiteSource,
    access_to,
    prefix_option,
    read_site,
    site_source_options,
    state_option,
)
from workers.errors import InputProblem, UsageProblem
from workers.log_lines import counted
from workers.settings import load_settings
from workers.site_settings import (
    SITE_SETTINGS_FILE,
    Overrides,
    chosen_model,
    empty_settings,
    overridden,
    pinned,
    read_records,
    settings_version,
    site_rule,
    write_records,
)

if TYPE_CHECKING:
    from workers.inspect.site_export import RuleForm
    from workers.kafka.broker.access import BrokerAccess


class SettingsPlace(NamedTuple):
    """Where settings are kept; exactly one of the first three is given."""

    broker: str | None
    file: Path | None
    state: Path | None
    prefix: str

    def checked(self) -> SettingsPlace:
        """Return the place; exactly one must be given, and none means the broker of the settings.

        Raises:
            UsageProblem: None is known, several are given, or a directory is not one of `templ run`.
        """
        given = sum(option is not None for option in self[:3])
        broker = None if given else load_settings().broker
        if broker is not None:
            return self._replace(broker=broker).checked()
        if given != 1:
            raise UsageProblem("give one of --broker, --site-settings and --state")
        if self.broker is not None:
            require_extra("kafka", "--broker")
        if self.state is not None and not (self.state / "state.json").is_file():
            raise UsageProblem(
                f"{self.state} is no state directory of `templ run`; the settings of a worker are written "
                "with --broker"
            )
        return self

    @property
    def path(self) -> Path:
        """The file of settings, where they are not on a topic."""
        return self.file or (self.state or Path()) / SITE_SETTINGS_FILE

    @property
    def access(self) -> BrokerAccess:
        """How the broker is reached, where one is given."""
        return access_to(self.broker or "", self.prefix)

    def read(self, site: str) -> SiteSettingsRecord:
        """Return the settings of a site; they say nothing where it has none."""
        if self.broker is not None:
            from workers.kafka.site_records import read_settings  # noqa: PLC0415

            records = asyncio.run(read_settings(self.access, site))
            return records or empty_settings(site)
        known = {record.site: record for record in read_records(self.path)}
        return known.get(site) or empty_settings(site)

    def write(self, site: str, record: SiteSettingsRecord | None) -> None:
        """Store the settings of a site; None removes them.

        Raises:
            UsageProblem: The file cannot be written, or a URL was given in place of the key.
        """
        if "://" in site:
            raise UsageProblem(
                f"{site} is a URL, not the key of a site, such as example.com; "
                "`templ site list` names them"
            )
        if record is not None:
            now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
            record = msgspec.structs.replace(record, changed_at=now)
        if self.broker is not None:
            from workers.kafka.site_records import write_settings  # noqa: PLC0415

            asyncio.run(write_settings(self.access, site, record))
            return
        others = [record for record in read_records(self.path) if record.site != site]
        try:
            write_records(self.path, others if record is None else [*others, record])
        except OSError as error:
            raise UsageProblem(f"{self.path}: {error.strerror}") from None

    def doubt(self, site: str) -> str | None:
        """Return as one line why a key may be mistyped, or None where nothing suggests it.

        Raises:
            StateProblem: The state directory cannot be read.
        """
        if self.state is not None:
            from workers.inspect.site_view import similar_sites  # noqa: PLC0415
            from workers.state.site_copy import copied_sites  # noqa: PLC0415

            sites = copied_sites(self.state)
            if site in sites:
                return None
            return f"{self.state} knows no page of the site {site} yet{similar_sites(sites, site)}"
        usual = site_key(f"//{site}")
        if "." not in site or usual == site:
            return None
        return f"pages of {site} have the key {usual}, unless the field `site` of their records says {site}"

    def forget(self, site: str) -> str:
        """Take a site down, erase it if possible, and return what was done as sentences.

        Raises:
            BrokerProblem: The broker cannot be reached, or workers go on writing records of the site.
            StateProblem: Another process uses the state directory.
        """
        self.write(site, msgspec.structs.replace(empty_settings(site), forgotten=True))
        if self.broker is not None:
            from workers.kafka.site_records import erase_from_topics  # noqa: PLC0415

            sent = asyncio.run(erase_from_topics(self.access, site))
            counts = ", ".join(f"{count} in {name}" for name, count in sent.items())
            return (
                f"{site} is taken down; null values: {counts}. The bytes leave these topics when the "
                "broker compacts them. What crawlers sent stays in `pages`, and what was refused in "
                "`pages.dlq`, as long as these topics keep records."
            )
        if self.state is not None:
            from workers.local.local_state import LocalState  # noqa: PLC0415

            LocalState(self.state, load_settings()).close()
            return f"{self.state} holds nothing of {site} but the note that it is taken down."
        return f"{site} is erased from a state directory when `templ run` opens it."

    def models(self, site: str) -> list[SiteModelRecord]:
        """Return the models of a site that can be pinned, oldest first.

        Raises:
            InputProblem: There is none, or a file of settings was given, which holds no models.
        """
        if self.broker is not None:
            from workers.kafka.site_records import read_models  # noqa: PLC0415

            models = asyncio.run(read_models(self.access, site))
        elif self.state is not None:
            from workers.state.site_copy import copy_site  # noqa: PLC0415

            newest = copy_site(self.state, site, load_settings()).models.get(site)
            models = [newest] if newest else []
        else:
            raise InputProblem("a file of settings holds no models; give --model-file")
        if not models:
            raise InputProblem(f"{self.broker or self.state} holds no model of the site {site}")
        return models


def settings_place_options(command: Command) -> Command:
    """Add the options --broker, --site-settings, --state and --prefix, which a command gets as `place`."""

    @functools.wraps(command)
    def with_place(
        broker: str | None,
        site_settings: Path | None,
        state: Path | None,
        prefix: str,
        **others: Any,
    ) -> None:
        command(place=SettingsPlace(broker, site_settings, state, prefix).checked(), **others)

    broker = click.option(
        "--broker",
        metavar="HOST:PORT",
        help="Kafka broker; the settings are a record of its topic `site-settings`, which all workers follow.  "
        "[default: TEMPL_BROKER, where no other place is given]",
    )
    file = click.option(
        "--site-settings",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="File of settings for `templ run --site-settings`.",
    )
    state = click.option(
        "--state",
        type=STATE_PATH,
        help=f"State directory of `templ run`; the settings are its file {SITE_SETTINGS_FILE}.",
    )
    return broker(file(state(prefix_option(with_place))))


_POLICY = click.Choice(["auto", "keep", "drop"])


@click.group(name="site")
def site_command() -> None:
    """List sites; print, export, correct, clean again or take down one of them."""


@site_command.command(name="list", short_help="List the sites of a state directory.")
@state_option
def list_sites(state: Path) -> None:
    """Print a line of JSON for each site of a state directory, in the order of their keys.

    It has the key of the site, the number of pages in its window, their compact size, when the oldest and the
    newest of them were fetched, and the version of the site's model.
    """
    from workers.state.site_copy import copied_sites  # noqa: PLC0415 - not needed for --help

    for site, window in sorted(copied_sites(state).items()):
        line = {
            "site": site,
            "pages": window.pages,
            "size_bytes": window.bytes,
            "oldest": rfc3339(window.oldest_ms) if window.pages else None,
            "newest": rfc3339(window.newest_ms) if window.pages else None,
            "model": window.model_version,
        }
        click.echo(msgspec.json.encode(line))


@site_command.command(short_help="Write what was learned as expressions or rules.")
@click.argument("key", metavar="KEY")
@site_source_options
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the files to.  [default: KEY-export]",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["xpath", "ftr", "trafilatura"]),
    help="Write rules in XPath for other extractors instead, in this form.",
)
def export(key: str, source: SiteSource, out: Path | None, form: RuleForm | None) -> None:
    """Write a folder with the strings and the places of trees by which text of the site KEY is removed.

    They are regular expressions for Python's `re` and CSS selectors. On the pages of the window they remove exactly
    what is removed now for the reasons `site-string` and `site-tree`; the command reports on how many pages this
    holds. The folder also has a Python script that applies the expressions to a text, and the site model
    `model.bin`, for `templ site pin`.

    With --as, one file has rules for the title, the content, the elements to remove, the date and the author; it says
    whether they suffice on this site.
    """
    from workers.inspect import site_export  # noqa: PLC0415 - not needed for --help

    settings = load_settings()
    view = read_site(key, source, settings)
    folder = out or Path(f"{key.replace('/', '_')}-export")
    if form is None:
        click.echo(site_export.export_site(view, folder, settings), err=True)
    else:
        click.echo(site_export.export_rules(view, folder, form, settings), err=True)


@site_command.command(short_help="Print what a site shows on every page.")
@click.argument("key", metavar="KEY")
@site_source_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of Markdown.")
def template(key: str, source: SiteSource, *, as_json: bool) -> None:
    """Print the text that the site KEY shows on at least 80 % of its pages: notices, header, menu, footer.

    It is removed from each page's text, and stands here once.
    """
    from templ_core.explain.site_template import site_template, template_markdown  # noqa: PLC0415 - not needed for --help
    from workers.inspect.site_report import read_pages  # noqa: PLC0415
    from workers.inspect.site_view import CleaningVariant  # noqa: PLC0415

    settings = load_settings()
    view = read_site(key, source, settings)
    template = site_template(key, read_pages(view, CleaningVariant.of(settings)))
    click.echo(msgspec.json.encode(template) if as_json else template_markdown(template))


@site_command.command(short_help="Change or print the settings of a site.")
@click.argument("key", metavar="KEY")
@settings_place_options
@click.option(
    "--remove", multiple=True, metavar="SELECTOR", help="Remove what is in these elements."
)
@click.option(
    "--remove-text",
    multiple=True,
    metavar="TEXT",
    help="Remove segments of this text; * matches any characters.",
)
@click.option("--keep", multiple=True, metavar="SELECTOR", help="Keep what is in these elements.")
@click.option("--keep-text", multiple=True, metavar="TEXT", help="Keep segments of this text.")
@click.option("--clear-rules", is_flag=True, help="First drop the rules that the site has.")
@click.option("--comments", type=_POLICY, help="How to treat comments and reviews.")
@click.option(
    "--listings",
    type=_POLICY,
    help="How to treat pages whose markup declares a listing: keep cleans them by the page alone, drop "
    "removes all their text.",
)
@click.option(
    "--window-days",
    type=click.FloatRange(min=0, min_open=True),
    help="Largest age of the documents in the site's window.",
)
@click.option("--window-pages", type=click.IntRange(min=1), help="Most documents in its window.")
@click.option(
    "--window-bytes",
    type=click.IntRange(min=1 << 20),
    help="Most bytes of compact documents in it.",
)
@click.option(
    "--quarantine/--no-quarantine",
    default=None,
    help="Whether pages are cleaned as those of a new site, and nothing is learned from them.",
)
def override(key: str, place: SettingsPlace, **change: Any) -> None:
    """Change the settings of the site KEY, and print them; without options, only print them.

    Rules overrule all evidence about the segments that they match; the last rule that matches decides. New
    rules follow those that the site has, and within one command keeping follows removing. The command says
    on how many pages of the site's window each new rule matches. Running workers follow within seconds.
    """
    wanted = Overrides(**change)
    if not wanted.is_empty():
        known = place.read(key)
        changed = overridden(known, wanted)
        _tell_doubt(place, key)
        _tell_matches(place, known, changed)
        place.write(key, changed)
    _show(place.read(key))


@site_command.command(short_help="Publish again the texts that a correction changes.")
@click.argument("key", metavar="KEY")
@site_source_options
@click.option(
    "--out",
    "-o",
    type=NAMED_PATH,
    help="With --state: JSON Lines file for the records; - is standard output.",
)
@click.option("--force", is_flag=True, help="Replace the file of --out.")
def redo(key: str, source: SiteSource, out: Path | None, *, force: bool) -> None:
    """Clean the pages of the window of the site KEY again, and publish the texts that change.

    A correction changes the next pages of a site; this sends the earlier ones of its window, as revisions with the
    reason `corrected`. With --broker they go to the topics `cleaned` and `documents`, with --state to a file.
    """
    from workers.inspect.redo import redone_texts  # noqa: PLC0415 - not needed for --help
    from workers.local.record_file import RecordFile  # noqa: PLC0415

    settings = load_settings()
    if (source.state is not None) != (out is not None):
        raise UsageProblem("--out goes with --state: a worker's revisions are sent to its topics")
    view = read_site(key, source, settings)
    revised = redone_texts(view, settings)
    if out is None:
        from workers.kafka.site_records import send_revisions  # noqa: PLC0415

        broker = access_to(source.broker or settings.broker or "", source.prefix)
        count, place = asyncio.run(send_revisions(broker, revised)), "sent"
    else:
        if not force:
            refuse_filled(out=out)
        count, place = 0, f"written to {out}"
        file = RecordFile("--out", out)
        try:
            for record, _ in revised:
                file.write(encode_json(record) + b"\n")
                count += 1
            file.flush()
        finally:
            file.close()
    click.echo(
        f"{counted(count, 'text')} of {counted(len(view.window), 'page')} changed, and {'is' if count == 1 else 'are'} {place}",
        err=True,
    )


@site_command.command(short_help="Keep using one site model.")
@click.argument("key", metavar="KEY")
@settings_place_options
@click.option("--model", metavar="VERSION", help="Version of the model.  [default: the newest]")
@click.option(
    "--model-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File model.bin of `templ site export`, to roll back to what was exported.",
)
def pin(key: str, place: SettingsPlace, model: str | None, model_file: Path | None) -> None:
    """Clean pages of the site KEY with one site model, whatever is learned later.

    Earlier models can be pinned as long as the topic still holds them, or from an export.
    """
    models = [_model_in(model_file, key)] if model_file else place.models(key)
    place.write(key, pinned(place.read(key), chosen_model(key, models, model)))
    _show(place.read(key))


@site_command.command(short_help="Remove all settings of a site.")
@click.argument("key", metavar="KEY")
@settings_place_options
def reset(key: str, place: SettingsPlace) -> None:
    """Remove all settings of the site KEY, so that it is cleaned like any other."""
    had_none = place.read(key) == empty_settings(key)
    if had_none:
        _tell_doubt(place, key)
    place.write(key, None)
    click.echo(f"{key} {'had no settings' if had_none else 'has no settings any more'}", err=True)


@site_command.command(short_help="Take a site down, and erase what is known.")
@click.argument("key", metavar="KEY")
@settings_place_options
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(key: str, place: SettingsPlace, *, yes: bool) -> None:
    """Take the site KEY down: erase its window, models, documents and texts, and clean no page of it.

    With --broker, every record of the site in `documents`, `site-models` and `cleaned` gets a tombstone, and
    workers erase the site from their stores. With --state, no other process may use the directory. `templ
    site reset` lets the site's pages in again; what was erased does not come back.
    """
    place.read(key)
    _tell_doubt(place, key)
    if not yes and not _agreed(f"Erase all that is known of {key}?"):
        raise UsageProblem("nothing was erased; --yes erases without asking")
    click.echo(place.forget(key), err=True)


def _agreed(question: str) -> bool:
    """Return whether the user answers yes; without a terminal to ask at the answer is no."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def _tell_matches(
    place: SettingsPlace, known: SiteSettingsRecord, changed: SiteSettingsRecord
) -> None:
    from workers.inspect.site_view import preview_rules  # noqa: PLC0415 - not needed for --help

    added = [rule for rule in changed.rules if rule not in known.rules]
    if not added or (place.state is None and place.broker is None):
        return
    source = SiteSource(place.state, place.broker, place.prefix)
    try:
        view = read_site(changed.site, source, load_settings())
    except InputProblem:  # the site has no page yet
        return
    for preview in preview_rules(view, [site_rule(rule) for rule in added]):
        click.echo(f"note: {preview}", err=True)


def _tell_doubt(place: SettingsPlace, key: str) -> None:
    doubt = place.doubt(key)
    if doubt is not None:
        click.echo(f"note: {doubt}", err=True)


def _show(record: SiteSettingsRecord) -> None:
    """Print settings, the bytes of a pinned model aside."""
    shown = record
    if record.pinned_model is not None:
        short = msgspec.structs.replace(record.pinned_model, value=b"")
        shown = msgspec.structs.replace(record, pinned_model=short)
    click.echo(msgspec.json.format(encode_json(shown), indent=1))
    click.echo(f"site_settings_version: {settings_version(record)}", err=True)


def _model_in(file: Path, site: str) -> SiteModelRecord:
    try:
        model = decode_site_model_record(file.read_bytes())
    except OSError as error:
        raise InputProblem(f"{file}: {error.strerror}") from None
    except SchemaError as error:
        raise InputProblem(f"{file} is no site model: {error}") from None
    if model.site != site:
        raise InputProblem(f"{file} is a model of {model.site}, not of {site}")
    return model
