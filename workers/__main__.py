"""The `templ` command, also as `python -m workers`, by which processes start each other."""

import sys

from workers.child_program import CLEANING, start_ahead


def main() -> None:
    """Run the command, see `workers.cli.main`."""
    if sys.argv[1:2] == ["clean"] and not {"--help", "-h"} & {*sys.argv}:
        start_ahead(CLEANING)
    try:
        from workers.cli.main import main as run_command  # noqa: PLC0415 - imported while the child starts
    except KeyboardInterrupt:
        sys.exit(130)
    run_command()


if __name__ == "__main__":
    main()
