"""Pages whose content was taken out by rules: error pages, walls, shells of scripts, and mere templates."""

from collections.abc import Sequence
from random import Random

from lxml import etree, html

from templ_core.lab.training.labels.gold_labels import GoldSelectors
from workers.lab.corpora import parsed, serialised

_BEGINNING_WORDS = 60
_NOTHING_HERE = (
    "Page not found", "Seite nicht gefunden", "Cette page est introuvable", "Strona nie istnieje", "404",
    "Hmm. There is nothing behind this link any more", "This story has moved on without telling us",
    "Hier gibt es leider nichts zu sehen", "Ooh la la, rien ici", "Aquí no queda nada", "Вы заблудились",
    "We searched everywhere and came back with empty hands", "The article was withdrawn by its editors",
)  # fmt: skip
_HINTS = (
    "Try the search, or go back to the front page.", "Versuchen Sie es mit der Suche.", "Essayez la recherche.",
    "Perhaps the address has a mistake in it.", "These stories may be of interest to you:", "",
)  # fmt: skip
_LOG_IN = (
    "Log in",
    "Please sign in to continue",
    "Anmelden",
    "Members area",
    "Connexion",
    "Welcome back",
)
_CONSENT = (
    "We value your privacy. We and our 842 partners store cookies on your device. Accept all and continue",
    "Before you continue, please choose which cookies we may use to measure our audience. Accept Reject",
    "Wir benötigen Ihre Zustimmung, um Inhalte und Anzeigen zu personalisieren. Zustimmen und weiter",
)
_CAPTCHA = (
    "Just a moment... Checking your browser before you enter",
    "Are you a human? Press and hold the button to confirm",
    "Slide the piece into the puzzle so that we know who you are",
)
_PAYWALL = (
    "Subscribe to continue reading", "To continue reading, start your free trial", "Für Abonnenten: weiter lesen mit Plus",
    "This article is for subscribers only", "Réservé à nos abonnés", "Unlock the whole story for one euro a week",
)  # fmt: skip
_LOADING = (
    "",
    "",
    "Loading…",
    "Please enable JavaScript",
    "You need to enable JavaScript to run this app.",
    "Wird geladen",
)


def without_content(markup: str, selectors: GoldSelectors, kind: str, seed: str) -> bytes | None:
    """Return a page as one of the kinds of `templ_core.page_quality`; None where no content is found in it.

    Args:
        markup: The page with its content.
        selectors: Where the content is.
        kind: A field of `PageQuality`.
        seed: Equal seeds give equal pages.
    """
    rng = Random(f"{seed} {kind}")
    root = parsed(markup)
    content, body = root.cssselect(selectors.content), root.find("body")
    if body is None or not content or body in content:
        return None
    if selectors.neutral and rng.random() < 0.7:
        for element in root.cssselect(selectors.neutral):
            if (
                element.getparent() is not None
                and element not in content
                and not set(content).intersection(element.iter())
            ):
                element.drop_tree()
    if kind == "soft_404":
        _soft_404(root, content, rng)
    elif kind == "wall":
        _wall(root, body, content, rng)
    elif kind == "empty_shell":
        _shell(root, body, content, rng)
    else:
        _emptied(content)
    return serialised(root)


def _emptied(content: Sequence[html.HtmlElement]) -> html.HtmlElement:
    """Empty the elements of the content, and return the first."""
    for element in content:
        tail = element.tail
        element.clear(keep_tail=True)
        element.tail = tail
    return content[0]


def _add(parent: html.HtmlElement, tag: str, text: str | None, **attributes: str) -> None:
    etree.SubElement(parent, tag, attributes).text = text


def _retitle(root: html.HtmlElement, text: str) -> None:
    for title in root.iter("title"):
        title.text = text
    for title in root.xpath("//meta[@property='og:title']"):
        title.set("content", text)


def _soft_404(root: html.HtmlElement, content: list[html.HtmlElement], rng: Random) -> None:
    place, text = _emptied(content), rng.choice(_NOTHING_HERE)
    if rng.random() < 0.8:
        _retitle(root, text)
    _add(place, rng.choice(("h1", "h2", "p")), text)
    _add(place, "p", rng.choice(_HINTS))
    if rng.random() < 0.4:
        _add(etree.SubElement(place, "form"), "label", "Search")
    if rng.random() < 0.3:
        links = [one for one in root.iter("a") if one.get("href") and len(one.text or "") > 10]
        for link in rng.sample(links, min(len(links), 5)):
            _add(etree.SubElement(place, "p"), "a", link.text, href=link.get("href") or "")


def _wall(
    root: html.HtmlElement, body: html.HtmlElement, content: list[html.HtmlElement], rng: Random
) -> None:
    form = rng.choice(("log-in", "consent", "captcha", "paywall"))
    if form == "paywall":
        words, text = (
            " ".join(" ".join(one.itertext()) for one in content).split(),
            rng.choice(_PAYWALL),
        )
        place = _emptied(content)
        _add(place, "p", " ".join(words[: rng.randint(10, _BEGINNING_WORDS)]) + " …")
        _add(etree.SubElement(place, "div", {"class": "offer"}), "p", text)
        return
    if rng.random() < 0.5:
        place = _emptied(content)
    else:
        body.clear()
        place = etree.SubElement(body, "div", {"class": "box"})
    texts = {"log-in": _LOG_IN, "consent": _CONSENT, "captcha": _CAPTCHA}
    text = rng.choice(texts[form])
    if rng.random() < 0.5:
        _retitle(root, text.split(".")[0])
    _add(place, rng.choice(("h1", "p")), text)
    if form == "log-in":
        box = etree.SubElement(place, "form")
        _add(box, "label", "Name")
        etree.SubElement(box, "input", {"type": "password", "name": "password"})
    if form == "captcha":
        etree.SubElement(place, "div", {"class": rng.choice(("px-captcha", "puzzle"))})


def _shell(
    root: html.HtmlElement, body: html.HtmlElement, content: list[html.HtmlElement], rng: Random
) -> None:
    if rng.random() < 0.6:
        body.clear()
        place = etree.SubElement(body, "div", {"id": rng.choice(("root", "app", "__next"))})
    else:
        place = _emptied(content)
    text = rng.choice(_LOADING)
    _add(place, "div", text or (" " if len(body) > 1 else root.findtext(".//title") or "App"))
    for number in range(rng.randint(2, 6)):
        _add(body, "script", f"window.chunk{number} = [{', '.join(map(str, range(900)))}]")
