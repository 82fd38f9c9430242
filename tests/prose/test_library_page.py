"""The page on the library shows what its examples print."""

import doctest

from tests.prose.pages import ROOT


def test_the_page_on_the_library_shows_what_is_printed():
    failed, tried = doctest.testfile(str(ROOT / "docs" / "library.md"), module_relative=False)
    assert (failed, tried > 20) == (0, True)
