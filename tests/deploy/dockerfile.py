"""Reading of a Dockerfile: its steps, in their order."""

import json
import re
from pathlib import Path

import msgspec


class Step(msgspec.Struct, frozen=True):
    """One instruction of a Dockerfile, with its flags taken off."""

    instruction: str
    flags: dict[str, str]
    """Value of each `--name=value` before the arguments, by its name."""
    value: str
    """All that follows, with lines joined."""

    @property
    def words(self) -> list[str]:
        """The arguments, also of the form that is a JSON array."""
        return json.loads(self.value) if self.value.startswith("[") else self.value.split()


def read_steps(path: Path) -> list[Step]:
    """Return the steps of a Dockerfile, which has no heredocs."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [_step(line) for line in joined.splitlines() if line.strip()]


def pairs(value: str) -> dict[str, str]:
    """Return what ENV or LABEL sets."""
    return {name: quoted or plain for name, quoted, plain in _PAIR.findall(value)}


_PAIR = re.compile(r'([\w.]+)=(?:"([^"]*)"|(\S+))')


def _step(line: str) -> Step:
    instruction, _, rest = line.strip().partition(" ")
    flags = {}
    while match := re.match(r"--([\w-]+)=(\S+)\s+", rest.lstrip()):
        flags[match[1]] = match[2]
        rest = rest.lstrip()[match.end() :]
    return Step(instruction.upper(), flags, rest.strip())
