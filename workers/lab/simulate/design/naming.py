"""How a design names the classes of its parts: readable, block-element, hashed or meaningless."""

from random import Random
from typing import Literal

Scheme = Literal["readable", "block", "hashed", "opaque"]

SCHEMES: tuple[Scheme, ...] = ("readable", "block", "hashed", "opaque")

_READABLE = {
    "page": "page site wrapper container hfeed",
    "header": "site-header masthead top-header header",
    "navigation": "main-navigation nav-menu primary-menu topnav",
    "hidden": "mobile-menu off-canvas drawer sr-menu",
    "crumbs": "breadcrumbs breadcrumb trail",
    "columns": "site-content content-wrap row columns",
    "main": "content-area main primary content",
    "article": "post hentry single-post story article",
    "heading": "entry-header post-header article-head story-header",
    "title": "entry-title post-title headline article-title",
    "byline": "entry-meta byline post-meta article-meta",
    "body": "entry-content post-content article-body story-body post_body td-post-content",
    "tags": "entry-footer tagcloud post-tags article-tags",
    "share": "sharedaddy share-bar social-share addtoany",
    "advert": "advert ad-slot adsbygoogle-wrap banner-ad",
    "related": "related-posts yarpp jp-relatedposts related",
    "author": "author-box about-author vcard-box author-info",
    "newsletter": "newsletter-box signup mailing-list subscribe-box",
    "comments": "comments-area comment-list comments commentlist",
    "comment": "comment comment-body depth-1",
    "sidebar": "sidebar widget-area secondary aside",
    "widget": "widget widget-box side-block module",
    "entry": "widget-item item-row list-entry mini-post",
    "pager": "post-navigation pagination nav-links pager",
    "footer": "site-footer colophon page-footer footer",
    "consent": "cookie-notice cookie-banner gdpr consent-bar",
    "listing": "post-list archive-list loop blog-listing",
    "teaser": "teaser post-item archive-item card",
    "teaser_title": "teaser-title card-title item-title",
    "teaser_text": "teaser-text excerpt entry-summary",
    "teaser_meta": "teaser-meta card-meta item-date",
    "poster": "poster postprofile user-info post-author",
}  # fmt: skip

BOX_ROLES = tuple(_READABLE)
"""The parts of a page for which a design has a box."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def class_names(scheme: Scheme, rng: Random) -> dict[str, str]:
    """Return a class name for each box role; no two are equal."""
    prefix = rng.choice(("c-", "o-", "m-", "app-", "ui-", "s-"))
    block = rng.choice(("layout", "site", "view", "frame", "desk", "shell"))
    names: dict[str, str] = {}
    for number, (role, candidates) in enumerate(_READABLE.items()):
        if scheme == "readable":
            name = rng.choice(candidates.split())
        elif scheme == "block":
            name = f"{prefix}{block}__{role.replace('_', '-')}"
        elif scheme == "hashed":
            name = "css-" + "".join(rng.choices(_LETTERS, k=6))
        else:
            name = f"{rng.choice(('b', 'box', 'col', 'el'))}{number + rng.randrange(3) * 40}"
        names[role] = name if name not in names.values() else f"{name}-{number}"
    return names
