import shutil
from pathlib import Path

import pytest

import templ_core
from templ_core.cleaner_version import cleaner_version
from templ_core.config import CoreConfig
from templ_core.source_digest import DIGEST_FILE, digest_of, installed_digest, source_digest

CONFIG = CoreConfig()
PACKAGE = Path(templ_core.__file__).parent


@pytest.fixture
def package(tmp_path):
    copy = tmp_path / "templ_core"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return copy


@pytest.mark.parametrize(
    "name",
    [
        "decide.py", "dom/parse/_page_columns.pyx", "page_level/model/page_model.bin",
        "site_level/fusion/fusion.json", "site_level/strings/_strings.pyx",
    ],
)  # fmt: skip
def test_a_changed_byte_of_what_decides_changes_the_digest(package, name):
    before = source_digest(package)
    body = (package / name).read_bytes()
    (package / name).write_bytes(body[:-2] + bytes([body[-2] ^ 1]) + body[-1:])
    assert source_digest(package) != before


def test_a_changed_constant_changes_the_version(package, monkeypatch):
    before = cleaner_version(CONFIG)
    path = package / "site_level/config.py"
    text = path.read_text()
    assert "usual_share: float = 0.6" in text
    path.write_text(text.replace("usual_share: float = 0.6", "usual_share: float = 0.7"))
    monkeypatch.setattr("templ_core.cleaner_version.installed_digest", lambda: digest_of(package))
    assert cleaner_version(CONFIG) != before


def test_a_removed_and_a_renamed_file_change_the_digest(package):
    before = source_digest(package)
    weights = package / "site_level/fusion/fusion.json"
    renamed = weights.rename(weights.with_name("weights.json"))
    moved = source_digest(package)
    renamed.unlink()
    assert len({before, moved, source_digest(package)}) == 3


def test_the_laboratory_documentation_and_line_endings_do_not_count(package):
    before = source_digest(package)
    with (package / "lab/__init__.py").open("a") as file:
        file.write("# a comment\n")
    (package / "README.md").write_text("Other words.")
    source = package / "decide.py"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert source_digest(package) == before


def test_a_checkout_is_digested_from_its_files_and_a_wheel_says_what_its_build_wrote(package):
    assert not (PACKAGE / DIGEST_FILE).exists()
    assert installed_digest() == source_digest(PACKAGE) == digest_of(package)
    (package / DIGEST_FILE).write_text("0" * 32)
    assert digest_of(package) == "0" * 32


def test_the_version_has_the_form_of_a_local_version():
    version, _, digest = cleaner_version(CONFIG).partition("+")
    assert version == templ_core.__version__
    assert len(bytes.fromhex(digest)) == 6
