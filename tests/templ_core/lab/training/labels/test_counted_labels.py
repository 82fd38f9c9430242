import random

from templ_core.lab.training.labels.counted_labels import counted_labels
from templ_core.lab.training.labels.site_pages import CorpusPage, parse_site_pages

PAGES = 24


def sentence(seed, words=40):
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("abcdefgh", k=rng.randint(2, 8))) for _ in range(words))


def page(number, html):
    return CorpusPage(
        corpus="test", site="a.org", url=f"https://a.org/{number}", body=html.encode()
    )


def article(number, related):
    return (
        "<body><ul id=nav><li>Home page of the site<li>About the site and us</ul>"
        f"<main><p class=lead>{sentence(f'{number} lead')}</p><p>{sentence(number, 90)}</p></main>"
        f"<aside class=related>{''.join(f'<h4>{one}</h4>' for one in related)}</aside>"
    )


def listing(number, quoted):
    return (
        "<body><ul id=nav><li>Home page of the site<li>About the site and us</ul>"
        f"<div class=list><p>{sentence(f'list {number}')}</p>"
        f"{''.join(f'<article><div class=teaser>{one}</div></article>' for one in quoted)}</div>"
    )


def labelled(htmls):
    pages = parse_site_pages([page(number, html) for number, html in enumerate(htmls)])
    assert len(pages) == len(htmls)
    found = []
    for one, labels in zip(pages, counted_labels(pages), strict=True):
        texts = one.document.segments.texts
        columns = zip(texts, labels.content.tolist(), labels.counts.tolist(), strict=True)
        found.append({text: content if counts else None for text, content, counts in columns})
    return found


def test_all_of_a_place_is_template_if_most_of_it_repeats():
    teasers = [sentence(f"teaser {number}", 8) for number in range(4)]
    pages = labelled(
        [article(number, [*teasers, sentence(f"only here {number}", 8)]) for number in range(PAGES)]
    )
    for number, page in enumerate(pages):
        assert page["Home page of the site"] == 0
        assert page[sentence(f"only here {number}", 8)] == 0
        assert page[sentence(number, 90)] == 1


def test_articles_that_listings_quote_are_not_labelled_template():
    quoted = sentence("0 lead")
    htmls = [article(number, []) for number in range(PAGES)]
    htmls += [listing(number, [quoted]) for number in range(5)]
    pages = labelled(htmls)
    assert pages[0][quoted] is None
    assert pages[1][sentence("1 lead")] == 1
    assert pages[-1][quoted] == 0
