"""Where `templ site` writes the settings of a site: a topic, a file or a state directory."""

from __future__ import annotations

import asyncio
import functools
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from templ_core.site_key import site_key
from workers.cli.lazy import require_extra
from workers.cli.options import STATE_PATH, Command, prefix_option
from workers.errors import InputProblem, UsageProblem
from workers.settings import load_settings
from workers.site_settings.book import SETTINGS_FILE, read_records, write_records
from workers.site_settings.changes import empty_settings

if TYPE_CHECKING:
    from schemas.site_model import SiteModelRecord
    from schemas.site_settings import SiteSettingsRecord
    from workers.kafka.broker.access import BrokerAccess


class SettingsPlace(NamedTuple):
    """Where settings are kept; exactly one of the first three is given."""

    broker: str | None
    file: Path | None
    state: Path | None
    prefix: str

    def checked(self) -> SettingsPlace:
        """Return the place, of which exactly one must be given; none means the broker of the settings.

        Raises:
            UsageProblem: None is known, several are given, or a directory is not one of `templ run`.
        """
        given = sum(one is not None for one in self[:3])
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
        return self.file or (self.state or Path()) / SETTINGS_FILE

    @property
    def access(self) -> BrokerAccess:
        """How the broker is reached, where one is given."""
        from workers.kafka.broker.access import BrokerAccess  # noqa: PLC0415

        return BrokerAccess.of(self.broker or "", load_settings())

    def read(self, site: str) -> SiteSettingsRecord:
        """Return the settings of a site; they say nothing where it has none."""
        if self.broker is not None:
            from workers.kafka.site_records import read_settings  # noqa: PLC0415

            found = asyncio.run(read_settings(self.access, self.prefix, site))
            return found or empty_settings(site)
        known = {one.site: one for one in read_records(self.path)}
        return known.get(site) or empty_settings(site)

    def write(self, site: str, record: SiteSettingsRecord | None) -> None:
        """Store the settings of a site; None removes them.

        Raises:
            UsageProblem: The file cannot be written, or a URL was given in place of the key.
        """
        if "://" in site:
            raise UsageProblem(
                f"{site} is a URL, not the key of a site, which is such as example.com; "
                "`templ site list` names them"
            )
        if record is not None:
            now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
            record = msgspec.structs.replace(record, changed_at=now)
        if self.broker is not None:
            from workers.kafka.site_records import write_settings  # noqa: PLC0415

            asyncio.run(write_settings(self.access, self.prefix, site, record))
            return
        others = [one for one in read_records(self.path) if one.site != site]
        try:
            write_records(self.path, others if record is None else [*others, record])
        except OSError as error:
            raise UsageProblem(f"{self.path}: {error.strerror}") from None

    def doubt(self, site: str) -> str | None:
        """Return as one line why a key may be mistyped, or None where nothing speaks for it.

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
        """Take a site down, erase it where that is possible, and return what was done as sentences.

        Raises:
            BrokerProblem: The broker cannot be reached, or workers go on writing records of the site.
            StateProblem: Another process uses the state directory.
        """
        self.write(site, msgspec.structs.replace(empty_settings(site), forgotten=True))
        if self.broker is not None:
            from workers.kafka.site_records import erase_from_topics  # noqa: PLC0415

            sent = asyncio.run(erase_from_topics(self.access, self.prefix, site))
            counts = ", ".join(f"{count} in {name}" for name, count in sent.items())
            return (
                f"{site} is taken down; null values: {counts}. The bytes leave these topics when the "
                "broker compacts them. What crawlers sent stays in `pages`, and what was refused in "
                "`pages.dlq`, as long as these topics keep records."
            )
        if self.state is not None:
            from workers.local.local_state import LocalState  # noqa: PLC0415

            LocalState(self.state, load_settings()).close()
            return f"{self.state} holds nothing of {site} but that it is taken down."
        return f"{site} is erased from a state directory when `templ run` opens it."

    def models(self, site: str) -> list[SiteModelRecord]:
        """Return the models of a site that can be pinned, oldest first.

        Raises:
            InputProblem: There is none, or a file of settings was given, which holds no models.
        """
        if self.broker is not None:
            from workers.kafka.site_records import read_models  # noqa: PLC0415

            found = asyncio.run(read_models(self.access, self.prefix, site))
        elif self.state is not None:
            from workers.state.site_copy import copy_site  # noqa: PLC0415

            newest = copy_site(self.state, site, load_settings()).models.get(site)
            found = [newest] if newest else []
        else:
            raise InputProblem("a file of settings holds no models; give --model-file")
        if not found:
            raise InputProblem(f"{self.broker or self.state} holds no model of the site {site}")
        return found


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
        help=f"State directory of `templ run`; the settings are its file {SETTINGS_FILE}.",
    )
    return broker(file(state(prefix_option(with_place))))
