"""Instructions of each stage of `templ run`, in one process, by callgrind; no load of the machine changes them.

    python -m tests.benchmarks.worker_stages FEED [--pages N] [--skip N]

Each stage counts without the stages that it calls. The first pages (`--skip`) are cleaned, too, and do not count.
Needs valgrind with its headers and a C compiler, and takes a quarter of an hour.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import wraps
from importlib import import_module
from pathlib import Path

import numpy as np

import schemas.codec
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.strings.suffix_array import SuffixArray
from tests.benchmarks.measuring import read_options, read_pages
from workers.lab.in_process import InProcess
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner
from workers.processes.messages import PAGES_AT_ONCE
from workers.settings import load_settings

NOTE = """
#include <valgrind/callgrind.h>
void note(const char *stage) { CALLGRIND_DUMP_STATS_AT(stage); }
"""
"""What writes the instructions since the last note to a file, under the name of a stage."""
STAGES = {
    "decode": ["templ_core.dom.document:decode_page"],
    "strip markup, scan": [f"templ_core.dom.parse.parse_page:{one}" for one in ("strip_markup", "stalls_parser")],
    "parse": ["templ_core.dom.parse.parse_page:page_columns"],
    "columns": ["templ_core.dom.document:_document"],
    "page model": ["templ_core.clean_document:read_page_evidence"],
    "places": ["templ_core.clean_document:document_places"],
    "site evidence": ["templ_core.clean_document:read_site_evidence"],
    "decision and text": [f"templ_core.clean_document:{one}" for one in ("decide", "render_text")],
    "metadata": [f"templ_core.clean_document:{one}" for one in ("read_metadata", "PageMarkup")],
    "page type": ["templ_core.clean_document:page_kind"],
    "record": ["workers.processes.records:RecordMaker.record", "schemas.codec:encode_json"],
    "document": ["workers.processes.records:RecordMaker.learned"],
    "store": [f"workers.state.window_store:WindowStore.{one}" for one in ("enter", "page_of", "mark_fitted")],
    "fits: strings": ["templ_core.site_level.window.site_learner:WindowStrings.learn"],
    "fits: trees": ["templ_core.site_level.trees.tree_learner:TreeLearner.model"],
    "fits: near-duplicates": ["templ_core.site_level.window.site_learner:distinct_pages"],
    "fits: form": ["workers.processes.learning:fitting_part"],
    "fits: the rest": ["workers.processes.tasks:refit_site"],
}  # fmt: skip
REST = "the rest"


def main():
    options = read_options(__doc__, "feed", pages=60, skip=20, under_valgrind=str)
    if options.under_valgrind:
        clean(options)
        return
    with tempfile.TemporaryDirectory() as directory:
        source, shim = Path(directory, "note.c"), Path(directory, "note.so")
        source.write_text(NOTE)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", shim], check=True)
        command = [sys.executable, "-m", __spec__.name, *sys.argv[1:], "--under-valgrind", shim]
        out = f"--callgrind-out-file={directory}/stages"
        # Other hashes, and threads that wait for work, would change the instructions.
        environment = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run(
            ["valgrind", "--tool=callgrind", out, *command],
            check=True,
            stderr=subprocess.DEVNULL,
            env=environment | {"OMP_NUM_THREADS": "1"},
        )
        report(Path(directory), options.pages - options.skip)


def clean(options):
    """Clean the pages, and note whenever a stage begins or ends."""
    note = ctypes.CDLL(options.under_valgrind).note
    stack = [REST]

    def noting(stage, function):
        @wraps(function)
        def run(*args, **kwargs):
            note(stack[-1].encode())
            stack.append(stage)
            try:
                return function(*args, **kwargs)
            finally:
                note(stack.pop().encode())

        return run

    for stage, names in STAGES.items():
        for name in names:
            module, _, path = name.partition(":")
            owner = import_module(module)
            *outer, attribute = path.split(".")
            for one in outer:
                owner = getattr(owner, one)
            setattr(owner, attribute, noting(stage, getattr(owner, attribute)))
    SuffixArray(np.full(2, 2, np.uint16))  # imports what fits need
    pages = read_pages([options.feed], options.pages)
    with tempfile.TemporaryDirectory() as directory:
        settings = load_settings()
        state = LocalState(Path(directory, "state"), settings, None)
        cleaner = LearningCleaner(state, InProcess(shipped_model()), settings)
        for some in (pages[: options.skip], pages[options.skip :]):
            note(b"")
            for first in range(0, len(some), PAGES_AT_ONCE):
                for outcome, _ in cleaner.process_pages(some[first : first + PAGES_AT_ONCE]):
                    schemas.codec.encode_json(outcome.record)
        note(REST.encode())
        state.close()


def report(directory, pages):
    """Print the instructions of the stages since the last note without a name."""
    spent = defaultdict(int)
    for path in sorted(directory.glob("stages.*"), key=lambda one: int(one.suffix[1:])):
        text = path.read_text()
        stage = re.search("^desc: Trigger: Client Request: ?(.*)$", text, re.MULTILINE)
        if stage is None:
            continue
        if not stage[1]:
            spent.clear()
        else:
            spent[stage[1]] += int(re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[1])
    total = sum(spent.values())
    for stage in (*STAGES, REST):
        millions, share = spent[stage] / pages / 1e6, spent[stage] / total
        print(f"{stage:24} {millions:7.3f} million a page {share:6.1%}")
    print(f"{'all':24} {total / pages / 1e6:7.3f} million a page")


if __name__ == "__main__":
    main()
