"""The Markdown pages of the repository, and their parts."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part == "out" for part in page.relative_to(ROOT).parts)
)
DESCRIBING = [
    page
    for page in PAGES
    if page.name not in {"CHANGELOG.md", "MEASUREMENTS.md"} and page.parent.name != "studies"
]
"""Pages that describe the code as it is."""
_FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def name_of(page: Path) -> str:
    """Return the path of a page inside the repository."""
    return str(page.relative_to(ROOT))


def prose_of(page: Path) -> str:
    """Return a page without its blocks of code."""
    return _FENCE.sub("", page.read_text("utf-8"))


def shell_lines(page: Path) -> list[str]:
    """Return the lines of a page's blocks of shell commands, without comments; continued lines are one."""
    blocks = [body for kind, body in _FENCE.findall(page.read_text("utf-8")) if kind == "sh"]
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [re.sub(r"(^|\s)#.*", "", line).strip() for line in lines]


def anchors_of(page: Path) -> set[str]:
    """Return the fragments by which GitHub links to the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
