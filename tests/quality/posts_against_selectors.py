"""How many posts of forum threads are found, with their authors and days.

    python -m tests.quality.posts_against_selectors more_sites.jsonl.xz sites_other.jsonl.xz forums.jsonl.xz

Each site has selectors, written for it by hand, of the posts, and of author and day of each. A post is found if a post
of the page, not yet taken, has at least nine tenths of its words and no more than a tenth of others; author and day are
right if they are those of the selectors. dateparser reads the days.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import dateparser
import lxml.html

from templ_core import CleanerOptions, clean
from templ_core.records.records import Post
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of

_F1_MIN = 0.9
_SHOWN = 5


class Selectors(NamedTuple):
    """Where a site has the posts of its threads; all three name as many elements as there are posts."""

    text: str
    """Elements with the texts of posts."""
    author: str
    date: str
    """Elements with the days."""
    attribute: str = ""
    """Attribute that has the day; empty = the text has it."""
    order: str = "DMY"
    """Order of the figures of a day."""
    within: str = ""
    """Element of a post, in which all others are looked for; empty = they are looked for on the page."""
    ignored: str = ""
    """Elements in a text that are no part of it, such as the signature."""


_XENFORO_2 = Selectors(
    "article.message-body", ".message-userDetails .username", ".message-attribution-main time", "datetime",
    within="article.message",
)  # fmt: skip
_XENFORO_1 = Selectors(
    "blockquote.messageText",
    ".userText a.username",
    ".datePermalink .DateTime",
    within="li.message",
)
_PHPBB_3 = Selectors(
    ".postbody .content", ".postprofile .username, .postprofile .username-coloured", ".postbody p.author",
    within="div.post.has-profile", ignored=".signature, .notice",
)  # fmt: skip
SITES = {
    "klnet.online": Selectors(
        "div[id^=post_message_]",
        "div[id^=postmenu_]",
        "td.thead:first-child",
        within="table.tborder[id^=post]",
    ),
    "opendcl-forum": Selectors(
        ".post-body", ".post-author", ".post-date", order="YMD", within="article.post"
    ),
    "theavalanches-forum": Selectors(
        "td[colspan]",
        "span.name",
        "table span.postdetails",
        within="table.forumline > tr:has(span.name)",
    ),
    "politepix-forums": Selectors(
        ".bbp-body div.bbp-reply-content, .bbp-body div.bbp-topic-content",
        ".bbp-body .bbp-author-name",
        ".bbp-body .bbp-reply-post-date, .bbp-body .bbp-topic-post-date",
    ),
    "starbound-fr.net-forum": Selectors(
        ".post_body",
        ".author_information strong a, .author_information strong",
        ".post_date",
        within="div.post",
    ),
    "airliners.net": _PHPBB_3,
    "digitalfernsehen.de": _XENFORO_1,
    "forums.debian.net": _PHPBB_3,
    "gtplanet.net": _XENFORO_1,
    "kiwifarms.net": _XENFORO_2,
    "mein-schoener-garten.de": _PHPBB_3,
    "ubuntuusers.de": Selectors(
        "div.text", "p.username", "div.postinfo", within="tr[id^=post-]", ignored=".moderated"
    ),
    "uhrforum.de": _XENFORO_2,
    "videolan.org": _PHPBB_3,
    "wordreference.com": _XENFORO_2,
    "worldofplayers.de": Selectors(
        "div[id^=post_message_]",
        "a.username, span.username",
        ".postdate",
        within="li.postcontainer",
        ignored=".bbcode_quote_container .x",
    ),
}
"""Selectors of sites."""
_RULE = re.compile(r"\n[_-]{5,}\s*\n.*", re.DOTALL)
_DAY = re.compile(
    r"\d{4}-\d\d-\d\d|\d\d?[-/]\d\d?[-/]\d{4}|\w+\.? \d{1,2},? \d{4}|\d{1,2}\.? \w+\.? \d{4}|\d\d?\.\d\d?\.\d{4}"
)


def selected_posts(markup: str, selectors: Selectors) -> list[Post]:
    """Return the posts that the selectors of a site find."""
    page = lxml.html.fromstring(markup)
    posts = page.cssselect(selectors.within) if selectors.within else [page]
    found = []
    for post in posts:
        texts, authors, days = (
            post.cssselect(one) for one in (selectors.text, selectors.author, selectors.date)
        )
        if selectors.within:
            texts, authors, days = texts[-1:], authors[:1], days[:1]
        if not texts or len({len(texts), len(authors), len(days)}) > 1:
            continue
        found += [_post(*one, selectors) for one in zip(texts, authors, days, strict=True)]
    return [post for post in found if post.text]


def _post(text: Any, author: Any, day: Any, selectors: Selectors) -> Post:
    for ignored in text.cssselect(selectors.ignored) if selectors.ignored else ():
        ignored.drop_tree()
    for line in text.iter("br"):
        line.tail = "\n" + (line.tail or "")
    for element in text.xpath(".//script | .//style | .//comment()"):
        element.drop_tree()
    stated = day.get(selectors.attribute) if selectors.attribute else day.text_content()
    shown = _DAY.search(" ".join(stated.split()))
    read = shown and dateparser.parse(shown[0], settings={"DATE_ORDER": selectors.order})
    return Post(
        text=_RULE.sub("", text.text_content()).strip(),
        author=" ".join(author.text_content().split()),
        date_published=read.date().isoformat() if read else None,
    )


class Found(NamedTuple):
    """A post of the selectors, and the post that was found for it."""

    selected: Post
    post: Post | None

    @property
    def has_author(self) -> bool:
        """Whether the author is right."""
        return self.post is not None and self.post.author == self.selected.author

    @property
    def has_day(self) -> bool:
        """Whether the day is right, or that of the other side of midnight where a time with a zone was read."""
        if self.post is None or self.post.date_published is None:
            return False
        return self.post.date_published[:10] == self.selected.date_published


def compared(selected: list[Post], posts: list[Post]) -> Iterator[Found]:
    """Yield the posts of a page with what was found."""
    left = list(posts)
    for post in selected:
        words = Counter(post.text.split())
        best = max(left, key=lambda one: _f1(words, one), default=None)
        if best is not None and _f1(words, best) >= _F1_MIN:
            left.remove(best)
            yield Found(post, best)
        else:
            yield Found(post, None)


def _f1(words: Counter[str], post: Post) -> float:
    post_words = Counter(post.text.split())
    return 2 * (words & post_words).total() / max(words.total() + post_words.total(), 1)


def main() -> None:
    """Print the figures of each site, and of all."""
    options = read_options(__doc__, "corpora...", site=str)
    all_found: dict[str, list[Found]] = {}
    surplus: Counter[str] = Counter()
    for corpus in options.corpora:
        for _, record in read_objects(corpus):
            site = site_of(record)
            if (
                site not in SITES
                or options.site not in {None, site}
                or record.get("page_role") == "other"
            ):
                continue
            markup = record_markup(record)
            selected = selected_posts(markup, SITES[site])
            cleaned = clean(markup, record["url"], CleanerOptions(with_records=True))
            posts = cleaned.records.posts if cleaned.records else []
            found = list(compared(selected, posts))
            all_found.setdefault(site, []).extend(found)
            surplus[site] += len(posts) - sum(one.post is not None for one in found)
            if options.site:
                _show(record["url"], found, posts)
    print(f"{'site':28} posts  found author   day  surplus")
    for site, found in sorted(all_found.items()):
        _print(site, found, surplus[site])
    _print("all", [one for found in all_found.values() for one in found], surplus.total())


def _show(url: str, found: list[Found], posts: list[Post]) -> None:
    """Print the posts of a page that are missed, or have another author or day."""
    print(url, len(found), "posts,", len(posts), "found")
    taken = [one.post for one in found]
    for post in posts:
        if post not in taken:
            print("  + ", post)
    for one in found:
        if one.post is None or not (one.has_author and one.has_day):
            print("   ", one.selected, "\n   ", one.post)


def _print(site: str, found: list[Found], surplus: int) -> None:
    count = max(len(found), 1)
    ratios = (
        sum(one.post is not None for one in found) / count,
        sum(one.has_author for one in found) / max(sum(one.post is not None for one in found), 1),
        sum(one.has_day for one in found if one.selected.date_published)
        / max(
            sum(one.post is not None and one.selected.date_published is not None for one in found),
            1,
        ),
    )
    print(f"{site:28} {len(found):5}  {ratios[0]:.3f}  {ratios[1]:.3f} {ratios[2]:.3f} {surplus:8}")


if __name__ == "__main__":
    main()
