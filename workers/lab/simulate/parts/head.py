"""Heads of pages, and the scripts at their end."""

import json
from html import escape

from workers.lab.simulate.archive import Entry
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.filler import scripts, stretch, styles

_DOCTYPES = {
    "tables": '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
    "bare": "<!DOCTYPE html>",
    "semantic": "<!doctype html>",
    "soup": '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
}
_CONDITIONAL = '<!--[if lt IE 9]><script src="/js/old.js"></script><![endif]-->\n'


def document_start(visit: Visit, title: str, charset: str | None, entry: Entry | None) -> str:
    """Everything before the body; `charset` = as declared, None = not declared."""
    design, site = visit.design, visit.site
    declared = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    lines = [
        _DOCTYPES[design.theme.family],
        f'\n<html lang="{site.language.code}" dir="{site.language.direction}">\n<head>\n',
        declared if charset else "",
        f"<title>{escape(title, quote=False)} | {escape(site.name, quote=False)}</title>\n",
        *_metas(visit, title),
        _CONDITIONAL if site.number % 3 == 0 else "",
        _linked_data(entry, site.origin) if entry else "",
        _style(visit),
        _script(visit, 0.25),
        "</head>\n",
    ]
    return "".join(lines)


def document_end(visit: Visit) -> str:
    """Everything after the visible part of the body."""
    body = _script(visit, 0.5)
    pixel = f'<noscript><img src="https://count.example/{visit.rng.randrange(10**9)}" alt="pixel"></noscript>\n'
    return f"{body}{pixel}</body>\n</html>\n"


def _metas(visit: Visit, title: str) -> list[str]:
    named = ("description", "keywords", "generator", "viewport", "robots", "theme-color")
    written = []
    for number in range(visit.design.furniture.head_tags):
        if number < len(named):
            written.append(f'<meta name="{named[number]}" content="{escape(title)}">\n')
        elif number % 3:
            written.append(
                f'<link rel="stylesheet" href="/assets/style-{number}.css?v=4.{number}">\n'
            )
        else:
            written.append(f'<script src="/assets/module-{number}.min.js?v=4.{number}"></script>\n')
    return written


def _linked_data(entry: Entry, origin: str) -> str:
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


def _style(visit: Visit) -> str:
    design = visit.design
    size = int(design.furniture.filler_bytes * 0.25)
    rules = stretch(styles(), design.filler_start, size)
    return f"<style>\n{rules}</style>\n" if rules else ""


def _script(visit: Visit, share: float) -> str:
    design = visit.design
    size = int(design.furniture.filler_bytes * share)
    lines = stretch(scripts(), (design.filler_start + share) % 1.0, size)
    return f"<script>\n//<![CDATA[\n{lines}//]]>\n</script>\n" if lines else ""
