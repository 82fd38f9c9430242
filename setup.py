"""The compiled modules: every `_*.pyx` of the core, for the stable ABI of Python 3.11 and later."""

import os
import sys
from pathlib import Path

import lxml
from Cython.Build import cythonize
from setuptools import Extension, setup

STABLE_ABI = "0x030B0000"
# Without contraction a product and a sum are rounded alike on machines with and without fused ones.
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off"]


def _extension(source: Path) -> Extension:
    return Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        include_dirs=lxml.get_include(),
        define_macros=[("Py_LIMITED_API", STABLE_ABI), ("CYTHON_LIMITED_API", "1")],
        extra_compile_args=FLAGS,
        py_limited_api=True,
    )


setup(
    ext_modules=cythonize(
        [_extension(source) for source in sorted(Path("templ_core").rglob("_*.pyx"))],
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": True,
        },
    ),
    options={
        "bdist_wheel": {"py_limited_api": "cp311"},
        "build_ext": {"parallel": os.cpu_count()},
    },
)
