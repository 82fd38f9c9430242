"""Whoever reads a state directory writes nothing there, so that it may be on a mount that is read-only."""

from workers.settings import load_settings
from workers.state.site_copy import copied_sites, copy_site
from workers.state.window_store import WindowStore


def files_of(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_reader_leaves_all_files_as_they_are(tmp_path):
    WindowStore(tmp_path / "windows-0", load_settings()).close()
    before = files_of(tmp_path)
    assert copied_sites(tmp_path) == {}
    assert copy_site(tmp_path, "a.example", load_settings()).windows is None
    assert files_of(tmp_path) == before


def test_a_state_directory_that_is_named_by_a_link_is_read(tmp_path):
    WindowStore(tmp_path / "real" / "windows-0", load_settings()).close()
    (tmp_path / "link").symlink_to("real")
    assert copied_sites(tmp_path / "link") == {}
