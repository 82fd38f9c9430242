"""The `templ` command group; wires subcommands and turns our errors into one line."""

import sys

import click

from templ_core import __version__
from workers.cli.lazy import LazyGroup
from workers.errors import WorkerError

_INTERRUPTED = 130


_MODULES = {
    "run": "workers.cli.run",
    "clean": "workers.cli.clean",
    "worker": "workers.cli.worker",
    "feed": "workers.cli.feed",
    "seed": "workers.cli.seed",
    "topics": "workers.cli.topics",
    "schemas": "workers.cli.schemas",
    "evaluate": "workers.lab.evaluate",
    "phrases": "workers.lab.phrases",
    "train": "workers.lab.train",
    "train-idioms": "workers.lab.train_idioms",
    "simulate": "workers.lab.simulate_feed",
    "experiments": "workers.lab.experiments",
}
_EXTRAS = dict.fromkeys(("worker", "feed", "seed", "topics"), "kafka") | dict.fromkeys(
    ("evaluate", "train", "train-idioms", "experiments"), "lab"
)


@click.group(
    cls=LazyGroup,
    modules=_MODULES,
    extras=_EXTRAS,
    epilog="Exit codes: 0 done; 1 failed; 2 wrong usage or setting; 65 the page was refused; "
    "66 input cannot be read; 69 the broker cannot be reached; 73 the state directory cannot be "
    "used; 74 the disk is full; 78 topics missing or set wrong; 130 interrupted.",
)
@click.version_option(__version__)
def templ() -> None:
    """Learn the templates of web sites from their pages, and publish clean text."""


def main() -> None:
    """Run the command; every known failure is one line on stderr and an exit code."""
    try:
        templ.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("templ: interrupted", err=True)
        sys.exit(_INTERRUPTED)
    except WorkerError as error:
        click.echo(f"templ: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"templ: {where}{error.strerror or error}", err=True)
        sys.exit(1)
