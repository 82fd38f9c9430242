"""Print a digest of the text that `templ run` gives for each corpus.

It is equal before and after a change that is meant to change no text.

    python -m tests.quality.text_digest stream.jsonl.xz more_sites.jsonl.xz

Run it on both commits and compare the lines. Only URLs and texts are digested, in the order of the
output, so records may gain fields.
"""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from tests.benchmarks.measuring import read_options


class _Record(msgspec.Struct):
    url: str
    text: str = ""


def text_digest(corpus: Path) -> tuple[int, str]:
    """Return the number of records that `templ run` gives for a corpus, and their digest."""
    decoder = msgspec.json.Decoder(_Record)
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory, "cleaned.jsonl")
        command = [sys.executable, "-m", "workers", "run", str(corpus), "--out", str(out)]
        subprocess.run([*command, "--time-field", "arrival"], check=True, capture_output=True)
        lines = out.read_bytes().splitlines()
    for line in lines:
        record = decoder.decode(line)
        digest.update(f"{record.url}\0{record.text}\0".encode())
    return len(lines), digest.hexdigest()


def main() -> None:
    """Print the number of records and the digest of their texts for each corpus."""
    for corpus in read_options(__doc__, "corpora...").corpora:
        records, digest = text_digest(corpus)
        print(f"{corpus.name}: {records} records, {digest}")


if __name__ == "__main__":
    main()
