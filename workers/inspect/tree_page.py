"""The tree templates of a site as HTML, with the number of pages that have each node."""

from collections.abc import Mapping
from html import escape

from templ_core.site_level.trees.tree_model import TreeCluster, TreeModel
from workers.inspect.report_parts import section
from workers.log_lines import counted

TREE_STYLE = """
.tree, .tree ul { list-style: none; padding-left: 1.1rem; margin: 0; }
.tree ul { border-left: 1px solid var(--edge); }
.tree li { overflow-wrap: anywhere; } .tree code { color: var(--c0); }
.tree b { display: inline-block; min-width: 4.5rem; font-weight: normal; text-align: right;
  margin-right: .6rem; font-variant-numeric: tabular-nums; color: var(--soft); }
.tree .many { color: var(--c1); }
.tree details { border: 0; padding: 0; display: inline; }
"""
_TEXT_CHARS = 160
_MANY_RATIO = 0.8
_OPEN_DEPTH = 12


def tree_templates(model: TreeModel, names: Mapping[int, str]) -> str:
    """Return the tree template of each cluster as a section of HTML.

    Args:
        model: The tree templates.
        names: Tag or text of each label, where it is known.
    """
    parts = []
    for number, cluster in enumerate(model.clusters, 1):
        texts = cluster.reference.tree.is_text.sum()
        sizes = (
            counted(cluster.pages, "page"),
            counted(len(cluster.support), "node"),
            counted(texts, "text"),
        )
        title = f"Kind of page {number}: {', '.join(sizes)}"
        parts.append(section(title, _tree(cluster, names)))
    return "".join(parts) or "<p>There is no tree template yet.</p>"


def _tree(cluster: TreeCluster, names: Mapping[int, str]) -> str:
    out, tree, depth = ['<ul class="tree">'], cluster.reference.tree, 0
    ends: list[int] = []
    for node, (label, end, is_text) in enumerate(
        zip(tree.label.tolist(), tree.end.tolist(), tree.is_text.tolist(), strict=True)
    ):
        while ends and ends[-1] <= node:
            ends.pop()
            out.append("</ul></details></li>")
        depth = len(ends)
        pages = int(cluster.support[node])
        many = ' class="many"' if pages >= _MANY_RATIO * cluster.pages else ""
        count = f"<b{many}>{pages} of {cluster.pages}</b>"
        if is_text:
            out.append(f"<li>{count}{_text(label, int(cluster.text_pages[node]), names)}</li>")
            continue
        opened = " open" if depth < _OPEN_DEPTH else ""
        tag = escape(names.get(label, "an element of unknown tag"))
        out.append(f"<li><details{opened}><summary>{count}<code>&lt;{tag}&gt;</code></summary><ul>")
        ends.append(end)
    out.append("</ul></details></li>" * len(ends) + "</ul>")
    return "".join(out)


def _text(label: int, pages: int, names: Mapping[int, str]) -> str:
    """Return what stands at a place: the reference's text with its pages, or that it changes."""
    if pages < 2:
        return "a text that changes"
    text = _short(names.get(label, "a text that is not in the window any more"))
    return f"“{escape(text)}” on {pages}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT_CHARS else text[: _TEXT_CHARS - 1] + "…"
