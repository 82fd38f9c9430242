"""Write what a version of templ stores, for the tests of upgrades. It runs with that version's code.

    git archive COMMIT | tar x -C OLD && cd OLD && python setup.py build_ext --inplace
    PYTHONPATH=OLD python -P tests/golden/versions/write_version.py tests/golden/versions/COMMIT.tar.xz

The archive holds a feed of one small generated site, the records that `templ run` made of it
(`cleaned.jsonl`), its state directory, and what a worker would have sent of it: the records of `documents`
and `site-models`, each file a MessagePack list of pairs of key and value.
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from random import Random

import msgspec

from schemas.codec import encode_msgpack
from schemas.document import document_key
from workers.settings import load_settings
from workers.state.model_store import ModelStore
from workers.state.window_store import WindowStore

SITE = "small.example"
PAGES = 6
WORDS = ("market", "tower", "garden", "window", "council", "river", "bridge", "letter", "winter")
LEFT_OUT = ("LOG", "LOCK", "OPTIONS", "lock")
"""Beginnings of the names of files that hold nothing that is read."""


def main(archive: Path) -> None:
    """Write the archive."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_feed(folder / "feed.jsonl")
        options = ["--out", folder / "cleaned.jsonl", "--state", folder / "state"]
        command = [sys.executable, "-P", "-m", "workers", "run", folder / "feed.jsonl", *options]
        subprocess.run(list(map(str, command)), check=True)
        write_documents(folder)
        write_models(folder)
        with tarfile.open(archive, "w:xz") as tar:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.startswith(LEFT_OUT):
                    info = tarfile.TarInfo(str(path.relative_to(folder)))
                    info.size = path.stat().st_size
                    with path.open("rb") as file:
                        tar.addfile(info, file)


def write_feed(path: Path) -> None:
    """Write pages of a site with a menu and articles."""
    rng = Random(1)
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in WORDS)
    with path.open("wb") as file:
        for number in range(PAGES):
            texts = (" ".join(rng.choices(WORDS, k=30)).capitalize() for _ in range(4))
            story = "".join(f"<p>{text}.</p>" for text in texts)
            record = {
                "url": f"https://{SITE}/{number}",
                "fetched_at": 1_767_571_200_000 + number * 60_000,
                "html": f"<title>{number}</title><body><ul>{menu}</ul><div><h1>{number}</h1>{story}</div>",
            }
            file.write(msgspec.json.encode(record) + b"\n")


def write_documents(folder: Path) -> None:
    """Write the documents of the window as records of their topic."""
    store = WindowStore(folder / "state" / "windows-0", load_settings())
    window = store.window(SITE)
    records = [(document_key(SITE, one.source), encode_msgpack(one)) for one in window]
    store.close()
    (folder / "documents.msgpack").write_bytes(msgspec.msgpack.encode(records))


def write_models(folder: Path) -> None:
    """Write the site models as records of their topic."""
    store = ModelStore(folder / "state" / "models")
    model = store.get(SITE)
    store.close()
    records = [(SITE.encode(), encode_msgpack(model))]
    (folder / "site-models.msgpack").write_bytes(msgspec.msgpack.encode(records))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
