from typing import get_args

import msgspec
import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.cleaner_version import cleaner_version
from templ_core.config import Balance, CoreConfig
from templ_core.decide import decide
from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.metadata.fields import Metadata
from templ_core.page_details import _FORM, decode_details, encode_details
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import read_page_evidence
from templ_core.site_level.fusion.fusion import UNFITTED, shipped_fusion
from templ_core.site_level.fusion.site_columns import CONSTANT, LENGTH, RECURS, TRUST
from templ_core.site_level.site_evidence import SiteEvidence
from templ_core.stored._columns import packed
from tests.templ_core.site_level.builders import CONFIG, site_model

SENTENCE = "The committee met on {n} occasions, and each time it found, after long talks, little. "
BOILERPLATE = (
    "This site is run by volunteers who meet every month, in rain and in sun, to discuss what to "
    "write about next, and you are welcome to join them, whoever you are."
)


def page(number):
    article = "".join(f"<p>{SENTENCE.format(n=number * 10 + k) * 4}</p>" for k in range(4))
    return parse_document(
        f"<html><head><title>Page {number}</title></head><body>"
        "<nav class=menu><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>"
        f"<article class=post><h1>Page {number}</h1><p class=byline>By Ann Reed, May {number}, 2026</p>"
        f"<div class=entry-content>{article}</div>"
        f"<div class=author-bio><p>{BOILERPLATE}</p></div></article>"
        "<footer>Copyright, all rights reserved</footer></body></html>",
        "https://example.com/",
    )


def test_navigation_and_footer_go_and_no_word_is_invented():
    document = page(1)
    text = clean(document, None, CONFIG).text
    assert "The committee met on 13 occasions" in text
    assert "Home" not in text
    assert "Copyright" not in text
    assert set(text.split()) <= set(" ".join(document.segments.texts).split())


def test_what_the_sites_pages_share_goes_even_where_it_reads_like_content():
    alone = clean(page(1), None, CONFIG)
    known = clean(page(1), site_model([page(n) for n in range(2, 22)]), CONFIG)
    assert BOILERPLATE in alone.text
    assert BOILERPLATE not in known.text
    assert "The committee met on 13 occasions" in known.text
    assert known.decision.used_site
    assert 0 <= known.decision.templateness.min() <= known.decision.templateness.max() <= 1
    reason = dict(zip(page(1).segments.texts, known.decision.reasons, strict=True))
    assert reason[BOILERPLATE] in ("site-constant", "site-string", "site-place")


def test_what_a_site_repeats_goes_from_a_page_that_has_hardly_anything_else():
    bare = parse_document(
        "<html><head><title>Bulletin 7</title></head><body><article class=post><h1>Bulletin 7</h1>"
        f"<div class=author-bio><p>{BOILERPLATE}</p></div></article></body></html>",
        "https://example.com/7",
    )
    known = clean(bare, site_model([page(n) for n in range(2, 22)]), CONFIG)
    assert BOILERPLATE not in known.text
    assert known.text


def test_an_empty_model_has_no_weight():
    alone, known = clean(page(1), None, CONFIG), clean(page(1), site_model([]), CONFIG)
    assert known.text == alone.text
    assert not known.decision.used_site


@pytest.mark.parametrize(
    ("markup", "warning"),
    [
        ("<p></p>", "empty"),
        (f"<p>Enable JavaScript</p><script>{'x=1;' * 3000}</script>", "script-rendered"),
        ("<title>404 Not Found</title><p>The page you asked for is not here.", "error-page"),
    ],
)
def test_what_a_reader_should_know_is_noted(markup, warning):
    cleaned = clean(parse_document(markup, "u"), None, CONFIG)
    assert warning in cleaned.warnings
    assert (cleaned.text == "") == (warning == "empty")


def test_the_version_changes_with_a_threshold():
    assert cleaner_version(CONFIG) != cleaner_version(CoreConfig(section_penalty=0.2))


def listing(first):
    teasers = "".join(
        f"<div class=teaser><h2><a href=/s{number}>Story {number} of the committee</a></h2>"
        f"<p>{SENTENCE.format(n=number)}</p></div>"
        for number in range(first, first + 8)
    )
    return parse_document(
        f"<title>News from {first}</title><body><ul class=menu><li><a href=/>Home</a></ul>"
        f"<div class=list>{teasers}</div><footer>Copyright, all rights reserved</footer>",
        "https://example.com/",
    )


def test_teasers_that_recur_from_listing_to_listing_stay():
    alone = clean(listing(4), None, CONFIG).text
    assert "occasions" in alone
    for window in (
        [listing(n) for n in range(12)],
        [listing(3)] * 3 + [listing(n) for n in range(3, 9)],
        [page(n) for n in range(20)] + [listing(n) for n in range(10)],
    ):
        assert alone in clean(listing(4), site_model(window), CONFIG).text


def test_shipped_weights_are_used_with_the_page_model_that_they_were_fitted_for_and_no_other():
    model = site_model([page(n) for n in range(2, 8)])
    own = msgspec.structs.replace(shipped_model(), version="page-2-000000000000")
    assert clean(page(1), model, CONFIG).decision.site.fusion is shipped_fusion()
    assert clean(page(1), model, CONFIG, own).decision.site.fusion is UNFITTED


STORY = "The council of the harbour met again, and said that the boats could wait until May."
TEASER = "In the next town the mayor opens a bridge to all who walk over it before the rain."
PAGE = parse_document(f"<article><p>{STORY}</article><section><p>{TEASER}", "http://s.example/")


def decided(
    kind,
    documents,
    page=PAGE,
    log_odds=(3.0, 0.4),
    repeated=(0.0, 0.0),
    balance="even",
    recall_share=1.0,
):
    evidence = read_page_evidence(page, shipped_model())
    scores = msgspec.structs.replace(evidence, page_type=kind, recall_share=recall_share)
    columns = {
        "in the best box": np.array([0.5, -0.5]),
        "usual best box": np.array([0.0, -0.6]),
        RECURS: np.zeros(2),
        LENGTH: np.log(scores.words),
        TRUST: np.ones(2),
        CONSTANT: np.zeros(2),
    }
    site = SiteEvidence(
        columns=columns,
        log_odds=np.array(log_odds) + repeated,
        repeated_log_odds=np.array(repeated),
        documents=documents,
        place_pages=documents,
        fusion=msgspec.structs.replace(shipped_fusion(), terms={}),
    )
    return decide(scores, site, msgspec.structs.replace(CONFIG, balance=balance))


UNLIKELY = (3.0, -0.1)


def test_what_is_rather_template_on_an_article_goes_whatever_the_cut():
    decision = decided(PageType(article=0.8, other=0.2), 20, log_odds=UNLIKELY)
    assert decision.kept.tolist() == [True, False]
    assert decision.used_site


@pytest.mark.parametrize(("kind", "documents"), [(PageType(), 20), (PageType(article=0.8), 2)])
def test_it_stays_on_other_pages_and_where_the_site_is_hardly_known(kind, documents):
    assert decided(kind, documents, log_odds=UNLIKELY).kept.all()


@pytest.mark.parametrize(("documents", "half", "hardly"), [(2, -1.0, -2.0), (20, 0.0, -0.5)])
def test_the_balance_decides_on_what_is_unsure_of_new_and_known_sites(documents, half, hardly):
    kept = [
        decided(PageType(), documents, log_odds=(3.0, unsure), balance=balance).kept.tolist()
        for balance in get_args(Balance)
        for unsure in (half, hardly)
    ]
    assert [first for first, _ in kept] == [True] * 6
    assert [second for _, second in kept] == [False, False, True, False, True, True]


@pytest.mark.parametrize(
    ("documents", "share", "is_kept"), [(2, 0.3, False), (2, 3.0, True), (20, 0.3, True)]
)
def test_the_type_decides_how_much_recall_counts_while_the_site_is_not_known(
    documents, share, is_kept
):
    unsure = {"log_odds": (3.0, 0.75), "balance": "precision"}
    decision = decided(PageType(), documents, recall_share=share, **unsure)
    assert decision.kept.tolist() == [True, is_kept]


def test_segments_that_agree_are_weighed_together_but_for_text_that_the_site_repeats():
    page = parse_document(f"<article><p>{STORY}<p>{TEASER}</article>", "http://s.example/")
    one, other = decided(PageType(), 20, page, (0.5, -0.3)).log_odds
    assert one == other > 0
    one, other = decided(PageType(), 20, page, (0.5, 0.5), (0.0, -0.8)).log_odds
    assert one > 0 > other


PAGE_WITH_LINKS = parse_document(
    "<p><a href=/b>b</a> <img alt=c></p><img src=d><ol start=3><li value=5>e</ol>",
    "",
    with_marks=True,
)
METADATA = Metadata(title="T", tags=["a"])
DETAILS = encode_details(PAGE_WITH_LINKS, METADATA, "article")
STORED = msgspec.structs.replace(PAGE_WITH_LINKS, marks=None)


def test_details_are_equal_after_encoding_and_decoding():
    document, *details = decode_details(DETAILS, STORED)
    assert details == [METADATA, "article"]
    for name in PAGE_WITH_LINKS.marks.__struct_fields__:
        assert list(getattr(document.marks, name)) == list(getattr(PAGE_WITH_LINKS.marks, name))
    assert encode_details(STORED, None, None) == b""
    assert decode_details(b"", STORED) == (STORED, None, None)


def test_details_of_the_format_before_are_read():
    earlier = msgspec.structs.replace(_FORM.decode(DETAILS), format=1)
    assert (
        decode_details(_FORM.encode(earlier), STORED)[0].marks.values
        == PAGE_WITH_LINKS.marks.values
    )


def test_missing_fields_may_be_null_as_earlier_versions_stored_them():
    fields = {"title": "T", "tags": ["a"], "product": None, "declared_language": None}
    earlier = msgspec.structs.replace(_FORM.decode(DETAILS), metadata={**fields, "kind": "article"})
    assert decode_details(_FORM.encode(earlier), STORED)[1:] == (METADATA, "article")


def test_damaged_details_and_those_of_another_page_are_refused():
    columns = _FORM.decode(DETAILS)
    wrong = [
        _FORM.encode(msgspec.structs.replace(columns, metadata=stored))
        for stored in ({"title": 7}, {"tags": "a"}, {"kind": "poem"})
    ]
    wrong.append(
        _FORM.encode(msgspec.structs.replace(columns, segment=packed(np.full(5, 2, np.int32))))
    )
    for body in (DETAILS[:-4], *wrong):
        with pytest.raises(CodecError):
            decode_details(body, STORED)
    with pytest.raises(CodecError):
        decode_details(DETAILS, parse_document("<p>a", ""))
