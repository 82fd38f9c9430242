"""Build of the compiled modules, and of the digest of the sources that a wheel carries.

Every `_*.pyx` of the core is compiled for the Python that builds it: the stable ABI would let one wheel do for
all, but a page would cost 3 to 5 % more. All else that describes the package is in pyproject.toml.
"""

import os
import runpy
from pathlib import Path

import lxml
import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

NUMPY_API = "NPY_2_0_API_VERSION"
# Without fused multiply-add, machines that have it and machines that do not round alike.
FLAGS = ["-O3", "-g0", "-ffp-contract=off"]
PACKAGE = Path("templ_core")


def _extension(source: Path) -> Extension:
    return Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        include_dirs=[*lxml.get_include(), np.get_include()],
        define_macros=[
            ("NPY_NO_DEPRECATED_API", NUMPY_API),
            ("NPY_TARGET_VERSION", NUMPY_API),
        ],
        extra_compile_args=FLAGS,
    )


class BuildWithDigest(build_py):
    """Puts the digest of the core's sources beside the modules of a wheel, never in a checkout."""

    def run(self) -> None:
        """Copy the modules, then write the digest."""
        super().run()
        if not self.editable_mode:
            module = runpy.run_path(str(PACKAGE / "source_digest.py"))
            target = Path(self.build_lib) / PACKAGE / module["DIGEST_FILE"]
            target.write_text(module["source_digest"](PACKAGE), "ascii")


setup(
    cmdclass={"build_py": BuildWithDigest},
    ext_modules=cythonize(
        [_extension(source) for source in sorted(PACKAGE.rglob("_*.pyx"))],
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": True,
        },
    ),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
