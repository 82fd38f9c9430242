"""Heads of pages, and the scripts at the end of their bodies."""

import json
from html import escape

from workers.lab.simulate.archive import ArchiveEntry
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.filler import scripts, stretch, styles

_DOCTYPES = {
    "tables": '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
    "bare": "<!DOCTYPE html>",
    "semantic": "<!doctype html>",
    "soup": '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
}
_CONDITIONAL = '<!--[if lt IE 9]><script src="/js/old.js"></script><![endif]-->\n'


def document_start(
    context: PageContext, title: str, charset: str | None, entry: ArchiveEntry | None
) -> str:
    """Return everything before the body; a charset of None is left undeclared."""
    design, site = context.design, context.site
    declared = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    lines = [
        _DOCTYPES[design.theme.family],
        f'\n<html lang="{site.language.code}" dir="{site.language.direction}">\n<head>\n',
        declared if charset else "",
        f"<title>{escape(title, quote=False)} | {escape(site.name, quote=False)}</title>\n",
        *_metas(context, title),
        _CONDITIONAL if site.number % 3 == 0 else "",
        _linked_data(entry, site.origin) if entry else "",
        _style(context),
        _script(context, 0.25),
        "</head>\n",
    ]
    return "".join(lines)


def document_end(context: PageContext) -> str:
    """Return everything after the visible part of the body."""
    body = _script(context, 0.5)
    pixel = f'<noscript><img src="https://count.example/{context.rng.randrange(10**9)}" alt="pixel"></noscript>\n'
    return f"{body}{pixel}</body>\n</html>\n"


def _metas(context: PageContext, title: str) -> list[str]:
    named = ("description", "keywords", "generator", "viewport", "robots", "theme-color")
    written = []
    for number in range(context.design.furniture.head_tags):
        if number < len(named):
            written.append(f'<meta name="{named[number]}" content="{escape(title)}">\n')
        elif number % 3:
            written.append(
                f'<link rel="stylesheet" href="/assets/style-{number}.css?v=4.{number}">\n'
            )
        else:
            written.append(f'<script src="/assets/module-{number}.min.js?v=4.{number}"></script>\n')
    return written


def _linked_data(entry: ArchiveEntry, origin: str) -> str:
    data = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": entry.title,
        "datePublished": entry.published.isoformat(),
        "author": {"@type": "Person", "name": entry.author},
        "url": origin + entry.path,
    }
    text = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>\n'


def _style(context: PageContext) -> str:
    design = context.design
    size = int(design.furniture.filler_bytes * 0.25)
    rules = stretch(styles(), design.filler_start, size)
    return f"<style>\n{rules}</style>\n" if rules else ""


def _script(context: PageContext, share: float) -> str:
    design = context.design
    size = int(design.furniture.filler_bytes * share)
    lines = stretch(scripts(), (design.filler_start + share) % 1.0, size)
    return f"<script>\n//<![CDATA[\n{lines}//]]>\n</script>\n" if lines else ""
