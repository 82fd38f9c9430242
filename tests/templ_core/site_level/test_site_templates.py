"""Near-duplicates in a window count once when its templates are fitted."""

import msgspec
import pytest

from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.site_level.site_templates import fit_templates, template_pages
from templ_core.site_level.trees.tree_evidence import tree_evidence
from tests.templ_core.site_level.builders import CONFIG, window_page

FOOTER = "Copyright by those who wrote it, all rights reserved."


def article(topic, extra=""):
    text = "".join(
        f"<p>In its paragraph {n} the report about {topic} goes on to say a number of things, and it "
        f"takes a good many words of plain prose for the {topic} to be described as it should be."
        for n in range(6)
    )
    return parse_document(
        f"<title>{topic}</title><ul><li>Home<li>News</ul><main><h1>{topic}</h1>{text}{extra}</main>"
        f"<footer>{FOOTER}</footer>",
        "https://example.com/",
    )


def templates(documents):
    window = [window_page(f"p{number}", document) for number, document in enumerate(documents)]
    return fit_templates(window, CONFIG)


def test_an_article_fetched_ten_times_is_no_template():
    refetched = [article("rivers", f"<p>{number} comments so far</p>") for number in range(10)]
    others = [article(topic) for topic in ("lakes", "seas", "hills", "woods")]
    found = templates([*others, *refetched])
    assert [cluster.pages for cluster in found.trees.clusters] == [5]
    page = refetched[0]
    texts = window_page("page", page).page.places.text
    evidence = tree_evidence(page, found.trees, CONFIG.cluster_likeness_min, texts)
    share = dict(zip(page.segments.texts, evidence.text_share.tolist(), strict=True))
    assert share[FOOTER] == 1
    assert not any(share[text] for text in page.segments.texts if "rivers" in text)


def test_equal_documents_alone_are_no_template():
    found = templates([article("rivers")] * 10)
    assert found.trees.clusters == []


def test_templates_may_be_fitted_on_more_pages_than_they_use():
    contents = [number.to_bytes(2, "big") for number in range(200)]
    latest = template_pages(contents, CONFIG)
    assert latest == list(range(200 - 2 * CONFIG.template_pages, 200))


def test_a_summary_of_another_document_is_refused_before_compiled_code_reads_it():
    one, other = (window_page(name, article(name)) for name in ("rivers", "lakes"))
    longer = window_page("seas", article("seas", "<p>One more."))
    swapped = msgspec.structs.replace(longer, document=other.document)
    with pytest.raises(CodecError, match="page seas is that of another document"):
        fit_templates([one, swapped], CONFIG)
