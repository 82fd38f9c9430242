"""The text of a formula in MathML: its TeX where the page has it, otherwise a plain form in one line."""

import re

from lxml import etree

from templ_core.dom.tags import names
from templ_core.patterns import pattern

_LINEAR_BYTES_MAX = 100_000
"""Bytes of the largest formula that gets a plain form; a larger one is no formula of a sentence."""
_DEPTH_MAX = 100
"""Elements inside one another; of deeper ones only the text counts."""
_TEX_ENCODINGS = ("application/x-tex", "application/x-latex", "latex", "tex", "text/tex")
_WRAPPED = pattern(r"\{\\(?:displaystyle|textstyle)\s(.*)\}", re.DOTALL)
_INVISIBLE_OPERATORS = dict.fromkeys(range(0x2061, 0x2065))
_SIMPLE = pattern(r"\w*")
_BLANKS = " \t\n\r\f"
"""What MathML leaves out around a text; a no-break space is shown."""
_BLANK = pattern(f"[{_BLANKS}]+")
_BLANK_TAGS = names("mtext mspace")
"""Elements whose blanks are shown."""
_NOT_SHOWN = names("annotation annotation-xml mphantom mprescripts none")
_OPERATORS = {
    "mfrac": "/",
    "msup": "^",
    "msub": "_",
    "munder": "_",
    "mover": "^",
    "msubsup": "_^",
    "munderover": "_^",
}
"""Signs between the parts of an element; the first part is its base."""
_ROOTS = names("msqrt mroot")
_SEPARATORS = {"mtable": "; ", "mtr": ", ", "mlabeledtr": ", "}


def tex_of(mathml: bytes) -> str:
    r"""Return the text of a formula; empty if it shows nothing.

    Args:
        mathml: A `math` element in UTF-8.

    >>> tex_of(
    ...     b"<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></math>"
    ... )
    'x_1'
    >>> tex_of(
    ...     b"<math><mfrac><mrow><mi>q</mi><msup><mi>l</mi><mn>2</mn></msup></mrow><mn>8</mn></mfrac></math>"
    ... )
    '(ql^2)/8'
    """
    if len(mathml) > _LINEAR_BYTES_MAX:
        return ""
    root = etree.fromstring(mathml, etree.HTMLParser(encoding="utf-8"))
    math = None if root is None else next(root.iter("math"), None)
    if math is None:
        return ""
    for annotation in math.iter("annotation"):
        if (annotation.get("encoding") or "").lower() in _TEX_ENCODINGS:
            text = "".join(annotation.itertext()).strip()
            if text:
                return _unwrapped(text)
    declared = (math.get("alttext") or "").strip()
    return _unwrapped(declared) if declared else _linear(math, 0)


def _unwrapped(tex: str) -> str:
    match = _WRAPPED.fullmatch(tex)
    return match[1].strip() if match else tex


def _linear(element: etree._Element, depth: int) -> str:
    """Return an element of MathML as text in one line."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _NOT_SHOWN:
        return ""
    children = [child for child in element if isinstance(child.tag, str)]
    if not children or depth == _DEPTH_MAX:
        text = "".join(element.itertext()).translate(_INVISIBLE_OPERATORS)
        return (_BLANK.sub(" ", text) or " ") if tag in _BLANK_TAGS else text.strip(_BLANKS)
    parts = [_linear(child, depth + 1) for child in children]
    operators = _OPERATORS.get(tag, "")
    if operators and len(parts) > len(operators):
        return _group(parts[0]) + "".join(
            operator + _group(part) for operator, part in zip(operators, parts[1:], strict=False)
        )
    if tag in _ROOTS:
        index = _group(parts.pop()) if tag == "mroot" else ""
        return index + "√" + _group("".join(parts))
    if tag == "mfenced":
        inside = (element.get("separators") or ",")[:1].join(parts)
        return f"{element.get('open', '(')}{inside}{element.get('close', ')')}"
    if tag in _SEPARATORS:
        return _SEPARATORS[tag].join(parts)
    tails = [(child.tail or "").strip() for child in children]
    return (element.text or "").strip() + "".join(map(str.__add__, parts, tails))


def _group(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) or len(text) == 1 else f"({text})"
