"""Meaningless scripts and style sheets, which are most of the bytes of a real page."""

from functools import cache
from random import Random

_NAMES = [
    "init",
    "load",
    "push",
    "track",
    "config",
    "render",
    "state",
    "event",
    "target",
    "value",
    "node",
    "cache",
    "queue",
]
_RULES = [
    "margin",
    "padding",
    "color",
    "width",
    "height",
    "display",
    "float",
    "border",
    "background",
    "font-size",
]
_VALUES = [
    "0",
    "auto",
    "none",
    "block",
    "1px",
    "100%",
    "#222",
    "#f4f4f4",
    "inherit",
    "1.5em",
    "flex",
    "12px",
    "left",
]
_POOL_LINES = 2500


@cache
def scripts() -> str:
    """Return a pool of script lines, of which every page uses a stretch."""
    rng = Random("filler/scripts")
    return "\n".join(_statement(rng) for _ in range(_POOL_LINES))


@cache
def styles() -> str:
    """Return a pool of style rules, of which every page uses a stretch."""
    rng = Random("filler/styles")
    return "\n".join(_rule(rng) for _ in range(_POOL_LINES))


def stretch(pool: str, start: float, size: int) -> str:
    """Return whole lines of a pool, wrapping around at its end.

    Args:
        pool: Lines to choose from.
        start: Where to begin, as a share of the pool from 0 to 1.
        size: Largest number of characters to return.
    """
    first = pool.index("\n", int(start * len(pool) / 2)) + 1
    lines = pool[first : first + size]
    lines = lines[: lines.rfind("\n") + 1]
    if first + size <= len(pool):
        return lines
    return lines + stretch(pool, 0.0, size - len(lines))


def _statement(rng: Random) -> str:
    a, b, c = rng.sample(_NAMES, 3)
    number, letter = rng.randrange(10**6), rng.choice("abcdefgh")
    return rng.choice(
        (
            f"window.{a}_{letter}=window.{a}_{letter}||[];window.{a}_{letter}.push({{{b}:{number},{c}:'{letter}{number:x}'}});",
            f"function {a}{number}({letter}){{if(!{letter}.{b}){{return null}}var k={letter}.{c}({number});return k?k.{b}:{number % 97}}}",
            f"!function({letter},t){{var n=t.createElement('{b}');n.async=1;n.id='{c}-{number}';t.{a}.appendChild(n)}}(window,document);",
            f'var {a}_{number}={{"{b}":{{"{c}":[{number},{number % 89},{number % 7}],"id":"{number:x}{letter}"}},"on":true}};',
        )
    )


def _rule(rng: Random) -> str:
    name = f"{rng.choice(_NAMES)}-{rng.choice('abcdefgh')}{rng.randrange(100)}"
    body = ";".join(f"{rng.choice(_RULES)}:{rng.choice(_VALUES)}" for _ in range(rng.randint(2, 7)))
    return f".{name}{rng.choice(('', ':hover', ' a', '>li', '::after'))}{{{body}}}"
