"""The files of an export of what a site repeats."""

from html import escape
from importlib import resources
from pathlib import Path

from schemas.codec import encode_msgpack
from templ_core.explain.site_names import read_names
from templ_core.explain.site_strings import read_site_strings
from workers.errors import InputProblem, UsageProblem
from workers.inspect.report_parts import html_page
from workers.inspect.site_export import encode_export, exported_expressions
from workers.inspect.site_view import SiteView
from workers.inspect.tree_page import TREE_STYLE, tree_templates, unnamed_labels
from workers.log_lines import counted


def export_site(view: SiteView, folder: Path) -> str:
    """Write what a site repeats to a folder, and return what was written as lines of text.

    Args:
        view: The site.
        folder: Where the files go; it is made if it is not there.

    Raises:
        InputProblem: The site has no site model yet.
        UsageProblem: The folder cannot be written.
    """
    model = view.model
    if model is None:
        raise InputProblem(
            f"{view.site} has no site model yet: its first pages have not been learned"
        )
    names = read_names((document for _, document in view.documents()), model)
    strings = read_site_strings((document for _, document in view.documents()), model.strings)
    expressions = exported_expressions(view, model, strings)
    trees = f"<h1>Tree templates of {escape(view.site)}</h1>" + tree_templates(
        model.trees, names.labels
    )
    files = {
        "expressions.json": encode_export(expressions),
        "remove_repeated.py": resources.files(__package__)
        .joinpath("remove_repeated.py")
        .read_bytes(),
        "trees.html": html_page(f"Trees of {view.site}", trees, TREE_STYLE).encode(),
        "model.bin": encode_msgpack(view.record) if view.record else b"",
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise UsageProblem(
            f"--out {folder}: {error.strerror}; give a folder that can be written"
        ) from None
    unnamed = unnamed_labels(model.trees, names.labels)
    lines = [
        f"{view.site}: site model {model.version} of {counted(model.documents, 'page')}",
        f"{counted(len(model.trees.clusters), 'tree template')}; {unnamed} of their tags and texts left the window",
        f"{counted(len(expressions['strings']), 'string')} of words, {len(expressions['usual'])} of whole blocks",
        f"written to {folder}: {', '.join(files)}",
    ]
    return "\n".join(lines)
