"""`templ crawl`: crawl sites politely, into `pages`, WARC files or JSON Lines."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from workers.cli.lazy import require_extra
from workers.cli.options import STATE_PATH, access_to, optional_broker_option, prefix_option, refuse
from workers.cli.settings import field_docs
from workers.crawl.config import CrawlConfig
from workers.errors import InputProblem, UsageProblem
from workers.log_forms import LogSetUp, set_up_logging
from workers.log_lines import counted
from workers.settings import Settings, load_settings

if TYPE_CHECKING:
    from workers.kafka.broker.feeder import Feeder

_SECONDS, _COUNT = click.FloatRange(0, min_open=True), click.IntRange(1)
_LIMITS: dict[str, click.ParamType] = {
    "delay_s": _SECONDS,
    "concurrency": _COUNT,
    "timeout_s": _SECONDS,
    "page_bytes_max": click.IntRange(1 << 10),
    "depth_max": click.IntRange(0),
    "site_day_pages": _COUNT,
    "site_hosts": _COUNT,
    "attempts_max": _COUNT,
    "retry_s": _SECONDS,
    "listing_interval_s": _SECONDS,
    "page_interval_s": _SECONDS,
    "interval_min_s": _SECONDS,
    "interval_max_s": _SECONDS,
    "robots_retry_s": _SECONDS,
}
"""Type of the options that set a limit, by the field of `CrawlConfig`."""
_NOUNS = frozenset({"page", "feed", "sitemap", "redirect", "deletion"})
"""Outcomes of the summary that have a plural."""
_LISTS = (".txt", ".csv", ".tsv", ".list", ".lst", ".json", ".jsonl")
"""Ends of the names of files that may list addresses; no domain has such an end."""


def _limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    defaults = {field.name: field.default for field in msgspec.structs.fields(CrawlConfig)}
    helps = field_docs(CrawlConfig)
    for name, kind in reversed(_LIMITS.items()):
        command = click.option(
            f"--{name.replace('_', '-')}",
            name,
            type=kind,
            default=defaults[name],
            show_default=True,
            help=" ".join(helps[name].partition("\n\n")[0].split()),
        )(command)
    return command


@click.command(name="crawl")
@click.argument("seeds", metavar="SEED...", nargs=-1, required=True)
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Choice(["kafka", "warc", "jsonl"]),
    help="Where pages go: the topic `pages`, WARC files (crawl-00001.warc.gz ...), or pages.jsonl.",
)
@click.option(
    "--dir",
    "directory",
    required=True,
    type=STATE_PATH,
    help="Directory of the crawl: its addresses, files and feeds. A crawl that it holds is continued.",
)
@click.option(
    "--contact",
    required=True,
    metavar="TEXT",
    help="Page or mailbox where owners of sites find who crawls; it is part of the user agent.",
)
@click.option(
    "--follow",
    "follows",
    is_flag=True,
    help="Run until SIGTERM or Ctrl-C, and fetch again what becomes due; otherwise end when nothing is due.",
)
@click.option(
    "--allow-private",
    "allows_private",
    is_flag=True,
    help="Also crawl addresses of private networks and of this machine; otherwise names and redirects that lead "
    "to them are refused.",
)
@click.option("--keep-warc", is_flag=True, help="Keep WARC files beside another output.")
@optional_broker_option("Kafka broker of --to kafka; several are separated by commas.")
@prefix_option
@_limit_options
def crawl_command(
    seeds: tuple[str, ...],
    target: str,
    directory: Path,
    *,
    keep_warc: bool,
    broker: str | None,
    prefix: str,
    **limits: Any,
) -> None:
    """Crawl the sites of SEED..., which are addresses or files with an address a line.

    The crawl stays on these sites (registrable domains), obeys their robots.txt, and sends one request at
    a time to each. It follows links, sitemaps and feeds; feeds are kept in feeds.jsonl. After a crash, the
    same command resumes the crawl. The environment variables http_proxy and https_proxy name a proxy.
    """
    from workers.crawl.crawl_files import StoreKinds  # noqa: PLC0415
    from workers.crawl.spider import crawl  # noqa: PLC0415 - imports Scrapy

    refuse(
        not str(limits["contact"]).strip(),
        "--contact is empty: name a page or mailbox by which owners of sites reach you",
    )
    settings = load_settings()
    set_up_logging(LogSetUp("crawl", settings.log_format, settings.log_level))
    addresses = list(_addresses(seeds))
    kinds = StoreKinds(pages=target == "jsonl", archive=keep_warc or target == "warc")
    output = _kafka(broker, prefix, settings) if target == "kafka" else None
    counts = crawl(directory, addresses, CrawlConfig(**limits), kinds, output)
    click.echo(_summary(counts), err=True)


def _addresses(seeds: Sequence[str]) -> Iterator[str]:
    from workers.crawl.addresses import is_askable  # noqa: PLC0415 - needs w3lib

    for seed in seeds:
        lines = [seed]
        if "://" not in seed and Path(seed).is_file():
            try:
                lines = Path(seed).read_text(encoding="utf-8-sig").split()
            except (OSError, UnicodeDecodeError) as error:
                raise InputProblem(f"{seed} cannot be read: {error}") from None
        elif "://" not in seed and (seed.endswith(_LISTS) or seed.startswith((".", "/"))):
            raise InputProblem(
                f"{seed} is no file: check the path, or write https:// before the address of a site"
            )
        for line in lines:
            is_address = "://" in line
            address = line if is_address else f"https://{line}/"
            if not is_askable(address) or not (is_address or "." in line):
                raise UsageProblem(f"{line} is neither a file nor an http address")
            yield address


def _kafka(broker: str | None, prefix: str, settings: Settings) -> "Feeder":
    if broker is None:
        raise UsageProblem("--to kafka needs --broker")
    require_extra("kafka", "--to kafka")
    from workers.kafka.broker.feeder import Feeder  # noqa: PLC0415 - needs aiokafka

    return Feeder(access_to(broker, prefix), settings.message_limit_bytes)


def _summary(counts: Counter[str]) -> str:
    return (
        ", ".join(
            counted(count, name) if name in _NOUNS else f"{count} {name}"
            for name, count in counts.most_common()
            if count
        )
        or "nothing due"
    )
