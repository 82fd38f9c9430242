"""Kept segments as HTML with the elements that give text its structure, and nothing else."""

from html import escape

from templ_core.dom.tags import HEADING_LEVELS
from templ_core.rendering.blocks import code_language, without_line_numbers
from templ_core.rendering.outline import Chain, Outline, Part

_HOLDS_TEXT = frozenset(HEADING_LEVELS) | frozenset(
    ["p", "li", "td", "th", "dt", "dd", "figcaption", "caption", "pre"]
)
_ONE_PARAGRAPH = frozenset(HEADING_LEVELS) | {"p"}


def render_html(outline: Outline) -> str:
    """Return the kept segments as HTML without attributes but for addresses, alternative texts and the language of code.

    Args:
        outline: The kept segments of the page, and what is around them.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<div class=x>A <a href=/b>b</a></div>", "", with_marks=True)
    >>> render_html(Outline(page, np.ones(1, bool), None, "https://example.com/"))
    '<p>A <a href="https://example.com/b">b</a></p>'
    """
    return _Html(outline).render()


class _Html:
    def __init__(self, found: Outline) -> None:
        self._found = found
        self._writer = found.writer(is_html=True)
        self._written: list[str] = []
        self._open: Chain = ()

    def render(self) -> str:
        for part in self._found.parts(self._writer):
            self._write(part)
        self._go_to(())
        return "".join(self._written)

    def _write(self, part: Part) -> None:
        chain = self._found.chain(part.owner)
        is_same = chain == self._open and bool(chain)
        is_verbatim = part.block >= 0 and self._found.tag(part.block) == "pre"
        text = self._found.written(part, self._writer, is_verbatim=is_verbatim)
        if is_verbatim:
            plain = self._found.text(part)
            code = without_line_numbers(self._found, part.block, [plain])
            if not code:
                return
            text = text if code == plain else escape(code)
            self._go_to(chain)
            self._written.append("\n" + text if is_same else text)
            return
        if not text:
            return
        last = self._found.tag(chain[-1]) if chain else ""
        if is_same and last in _ONE_PARAGRAPH:
            self._go_to(chain[:-1])
        self._go_to(chain)
        is_bare = last in _HOLDS_TEXT and not (is_same and last not in _ONE_PARAGRAPH)
        is_bare = is_bare or self._found.tag(part.owner) == "formula-block"
        self._written.append(text if is_bare else f"<p>{text}</p>")

    def _go_to(self, chain: Chain) -> None:
        """Close and open elements until those of `chain` are open."""
        shared = 0
        for node, other in zip(chain, self._open, strict=False):
            if node != other:
                break
            shared += 1
        for node in reversed(self._open[shared:]):
            self._written.append(f"</{self._found.tag(node)}>")
        for node in chain[shared:]:
            tag = self._found.tag(node)
            language = code_language(self._found, node) if tag == "pre" else ""
            self._written.append(f'<{tag} class="language-{language}">' if language else f"<{tag}>")
        self._open = chain
