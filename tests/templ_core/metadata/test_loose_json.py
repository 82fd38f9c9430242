import time

import pytest

from templ_core.dom.document import parse_document
from templ_core.metadata.loose_json import read_json
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata

STORY = '{"@type": "NewsArticle", "author": "Ann Lee"'


@pytest.mark.parametrize(
    "script",
    [
        f"// <![CDATA[\n{STORY}}}\n// ]]&gt;", f"/* <![CDATA[ */ {STORY}}} /* ]]> */", f"<!-- {STORY}}} -->", f"{STORY},}};",
        f'{STORY}, "headline": "The "old" mill"}}', f'{STORY}, "headline": "A 12" record"}}', f'{STORY}, "headline": "a\nb"}}',
        f'{{"@type": "WebPage"}}{STORY}}}', f'{{"@type": "WebPage"}},\n{STORY}}}', f"{STORY}}} what is this?",
        f'/* ours */ {STORY}, // the headline\n"url": "https://a.example/"}}', f'{STORY}, "headline": "a\\d"}}',
        f'{STORY}, "headline": "mill &quot;old&quot;"}}',
    ],
)  # fmt: skip
def test_what_is_not_quite_json_is_read(script):
    page = parse_document(f'<script type="application/ld+json">{script}</script><p>Text', "")
    assert read_metadata(page, "https://a.example/", PageMarkup(page)).authors == ["Ann Lee"]


@pytest.mark.parametrize("script", ["", "{", "no JSON", '{"a" "b"}', "[1, 2", "// only a comment"])
def test_what_is_no_json_has_no_objects(script):
    assert not any(isinstance(one, dict) for one in read_json(script.encode()))


@pytest.mark.parametrize(
    "script",
    [
        '{"a":' * 10_000, "[" * 10_000, '{"a" "' * 40_000, '{"a":"' + '"x ' * 80_000, '{"a":"' + '" ' * 80_000 + '"}', "/*" * 100_000,
        "//" * 100_000, '{"a":"' + "\\" * 200_000, "," * 200_000, '{"a":1' + "," * 200_000, "<!--" * 50_000, '{"a":1 ' + "/*x" * 80_000, '{"a":1 ' + '\\"' * 80_000,
        '{"a":1' + " " * 200_000 + "x", "//" + " " * 200_000, '{"a":1 ' + '" , ' * 50_000, ";" * 200_000 + "x", '{"a":"' + '", ' * 60_000,
    ],
)  # fmt: skip
def test_hostile_scripts_take_no_long_time(script):
    began = time.process_time()
    read_json(script.encode())
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "script", ['{"a":"' + "x" * 20_000_000 + '"}', '{"a":' * 10_000 + "1" + "}" * 10_000]
)
def test_a_script_that_is_too_large_or_deep_costs_the_page_nothing_else(script):
    page = parse_document(
        f'<script type="application/ld+json">{script}</script><meta name="author" content="Ann Lee">'
        f'<script type="application/ld+json">{{"@type": "Article", "datePublished": "2026-03-04"}}</script><p>Text', ""
    )  # fmt: skip
    metadata = read_metadata(page, "https://a.example/", PageMarkup(page))
    assert (metadata.authors, metadata.published_at) == (["Ann Lee"], "2026-03-04")
