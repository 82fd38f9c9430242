import os
import subprocess
import sys
from pathlib import Path

import pytest

SORT = """
import os
import numpy as np
from templ_core.site_level.strings.suffix_array import SuffixArray
tokens = np.random.default_rng(0).integers(2, 3000, 100_000).astype(np.uint16)
before = len(os.listdir("/proc/self/task"))
SuffixArray(tokens)
print(before, len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux")
def test_sorting_starts_no_threads():
    run = subprocess.run(
        [sys.executable, "-c", SORT],
        env={**os.environ, "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    before, after = run.stdout.split()
    assert before == after
