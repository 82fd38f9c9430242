"""Every command that needs a broker says in one line that there is none."""

import pytest
from click.testing import CliRunner

from workers.cli.main import templ
from workers.errors import BrokerProblem

NOBODY = "127.0.0.1:9"


@pytest.mark.parametrize(
    "command",
    [
        "inspect site example.com", "inspect page https://example.com/ --out {out}/page.html",
        "site override example.com --keep p", "site export example.com --out {out}/site",
        "dlq list", "dlq redrive", "status", "topics check", "topics repartition --partitions 8",
        "index --index {out}/index.db", "replay --from-topic pages --to {out}/pages.jsonl",
    ],
)  # fmt: skip
def test_a_command_without_a_broker_ends_with_one_line(command, tmp_path):
    arguments = command.format(out=tmp_path).split()
    asked = CliRunner().invoke(templ, [*arguments, "--broker", NOBODY])
    assert isinstance(asked.exception, BrokerProblem)
    said = str(asked.exception)
    assert said.startswith(f"cannot reach Kafka at {NOBODY}: {NOBODY} does not listen")
    assert "\n" not in said
