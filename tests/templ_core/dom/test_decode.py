"""The compiled searches in bytes find what simple ones find."""

import gzip
import re
import zlib

import brotli
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.dom.decode._bytes import controls_and_points, windows_without_tags
from templ_core.dom.decode.decode_page import codec_of, decode_page
from templ_core.errors import EmptyPage, PageError, PageTooLarge, UnsupportedContent

CONTROLS = {*range(32), 127} - {9, 10, 13}
PIECES = st.sampled_from(
    [
        b"a", b"word " * 1000, b"\n", b"\xc3\xa9", "\u4e2d\u6587".encode(), "\U0001f600".encode(),
        "\u20ac".encode() * 3000, b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xff",
        b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xed\x9f\xbf", b"\xf4\x8f\xbf\xbf", b"\x80",
        b"\x7f", b"\x0b", b"\0", b"\x1f", b"\xe4\xb8", b"<p>", b">" * 50, b"<" * 50,
    ]
)  # fmt: skip
BODIES = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=8).map(b"".join))


@given(BODIES)
@example(b"x" * 4095 + b"\xc3\xa9")
@example(b"x" * 4095 + b"\xc3")
@example(b"x" * 4094 + "\u4e2d".encode() + b"\0")
def test_control_characters_and_code_points_are_found(body):
    controls, points = controls_and_points(body)
    assert controls == bool(CONTROLS & set(body))
    try:
        expected = -1 if controls else len(body.decode())
    except UnicodeDecodeError:
        expected = -1
    assert points == expected


@given(BODIES, st.integers(1, 300))
def test_windows_in_which_no_tag_begins_or_ends_are_found(markup, size):
    expected = [
        start
        for start in range(0, len(markup), size)
        if not {*b"<>"} <= set(markup[start : start + size])
    ]
    assert windows_without_tags(markup, size) == expected


LIMIT = 1 << 20
FRENCH = "<p>Le café était très agréable — déjà vu, “naïve” façade.</p>" * 12
ENGLISH = "<p>The company’s report – published on Monday – said “nothing” about it.</p>" * 12
JAPANESE = "<p>これは日本語の文章です。カタカナも漢字も①もあります。</p>" * 12
CHINESE = "<p>中文网页内容测试，模板去除。朱镕基。</p>" * 12
KOREAN = "<p>한국어 웹 페이지 내용을 테스트합니다. 오늘의 뉴스입니다.</p>" * 12
RUSSIAN = "<p>Это русский текст для проверки кодировки страницы.</p>" * 12
PLAIN_JAPANESE = JAPANESE.replace("①", "一")


def gzipped(body):
    return gzip.compress(body, mtime=0)


def decode(body, **declared):
    nothing = dict.fromkeys(("content_type", "charset", "content_encoding"))
    return decode_page(body, **{**nothing, "limit_bytes": LIMIT, **declared})


def page(text, said=None):
    meta = f'<meta charset="{said}">' if said else ""
    return f"<!DOCTYPE html><html><head>{meta}<title>t</title></head><body>{text}</body></html>"


@pytest.mark.parametrize(
    ("text", "codec", "said", "used"),
    [
        (FRENCH, "utf-8", None, "utf-8"),
        (FRENCH, "utf-8", "iso-8859-1", "utf-8"),
        (FRENCH, "utf-8-sig", "iso-8859-1", "utf-8"),
        (FRENCH, "cp1252", "windows-1252", "windows-1252"),
        (FRENCH, "cp1252", "latin-1", "windows-1252"),
        (FRENCH, "cp1252", "us-ascii", "windows-1252"),
        (FRENCH, "cp1252", "utf-8", "windows-1252"),
        (FRENCH, "cp1252", "no-such-charset", "windows-1252"),
        (FRENCH, "cp1252", "utf-16", "windows-1252"),
        (ENGLISH, "cp1252", "utf-8", "windows-1250"),
        (ENGLISH, "cp1252", None, "windows-1250"),
        (JAPANESE, "cp932", "shift_jis", "shift_jis"),
        (JAPANESE, "cp932", "x-sjis", "shift_jis"),
        (PLAIN_JAPANESE, "cp932", "utf-8", "shift_jis"),
        (PLAIN_JAPANESE, "euc_jp", "euc-jp", "euc-jp"),
        (PLAIN_JAPANESE, "euc_jp", None, "euc-jp"),
        (PLAIN_JAPANESE, "iso2022_jp", "iso-2022-jp", "iso-2022-jp"),
        (PLAIN_JAPANESE, "iso2022_jp", None, "iso-2022-jp"),
        (CHINESE, "gb18030", "gb2312", "gb18030"),
        (CHINESE, "gb18030", None, "gb18030"),
        (CHINESE, "gb18030", "utf-8", "gb18030"),
        (KOREAN, "cp949", "ks_c_5601-1987", "euc-kr"),
        (KOREAN, "cp949", None, "euc-kr"),
        (RUSSIAN, "cp1251", "windows-1251", "windows-1251"),
        (RUSSIAN, "cp1251", None, "windows-1251"),
        (RUSSIAN, "koi8-r", None, "koi8-r"),
        (FRENCH, "utf-16", "utf-8", "utf-16le"),
        (FRENCH, "utf-16-le", "utf-8", "utf-16le"),
        (JAPANESE, "utf-16-be", None, "utf-16be"),
        (FRENCH, "utf-32", None, "utf-32le"),
    ],
)
def test_the_charset_that_is_used(text, codec, said, used):
    decoded = decode(page(text, said).encode(codec), content_type="text/html")
    assert decoded.text == page(text, said)
    assert decoded.charset == used
    assert not decoded.repaired


def test_a_charset_is_found_wherever_it_is_declared():
    body = page(CHINESE).encode("gb18030")
    assert decode(body, charset="gbk").text == page(CHINESE)
    assert decode(body, content_type='text/html; charset="GB2312"').text == page(CHINESE)
    late = page("<!-- " + "x" * 40_000 + ' --><meta http-equiv="Content-Type" '
                'content="text/html; charset=gb2312">' + CHINESE)  # fmt: skip
    assert decode(late.encode("gb18030")).text == late
    xml = f'<?xml version="1.0" encoding="koi8-r"?><doc>{RUSSIAN}</doc>'
    assert decode(xml.encode("koi8-r"), content_type="text/xml").text == xml


COUNCIL = "\u0413\u043e\u0440\u043e\u0434\u0441\u043a\u043e\u0439 \u0441\u043e\u0432\u0435\u0442 \u0440\u0435\u0448\u0438\u043b"


@pytest.mark.parametrize(
    "seeming",
    [
        "<!-- <meta charset=koi8-r> -->",
        "<meta name=description content='Set charset=koi8-r'>",
        "<meta name=generator content='text/html; charset=koi8-r'>",
        "<script>document.write('<meta charset=koi8-r>')</script>",
        "<title><meta charset=koi8-r></title>",
        "<meta data-charset=koi8-r>",
        "<meta content='a > b, charset=koi8-r' name=x>",
        "<metadata charset=koi8-r>",
        "",
    ],
)
@pytest.mark.parametrize(
    "declared",
    [
        "<meta charset=windows-1251>",
        "<META content='text/html; charset=windows-1251' http-equiv='Content-Type'>",
        "<meta name=x charset = 'windows-1251' />",
    ],
)
def test_a_charset_that_only_seems_to_be_declared_is_not_used(seeming, declared):
    body = f"<html><head>{seeming}{declared}</head><p>{COUNCIL}".encode("cp1251")
    assert COUNCIL in decode(body).text


def test_the_default_charset_of_a_server_gives_way_to_what_the_page_declares():
    body = f"<meta charset=windows-1251><p>{COUNCIL}".encode("cp1251")
    for said in ("iso-8859-1", "latin1", "windows-1252"):
        assert COUNCIL in decode(body, content_type=f"text/html; charset={said}").text
    assert decode(body, content_type="text/html; charset=koi8-r").charset == "koi8-r"
    assert COUNCIL in decode(b"<meta charset=iso-8859-1>" + body).text
    assert decode(b"<meta charset=koi8-r>" + body).charset == "koi8-r"


def test_one_that_fits_wins_over_the_servers_default_or_is_it():
    body = page(PLAIN_JAPANESE, "shift_jis").encode("cp932")
    decoded = decode(body, content_type="text/html; charset=iso-8859-1")
    assert decoded.text == page(PLAIN_JAPANESE, "shift_jis")
    body = "\n".join(re.findall("<p>(.*?)</p>", CHINESE)).encode("utf-16-be")
    decoded = decode(body, content_type="text/plain; charset=utf-16be")
    assert decoded.charset == "utf-16be"
    assert "朱镕基" in decoded.text


def test_utf8_with_a_few_broken_bytes_is_still_utf8():
    body = page(FRENCH).encode().replace("é".encode(), b"\xe9", 3)
    decoded = decode(body, content_type="text/html; charset=iso-8859-1")
    assert decoded.charset == "utf-8"
    assert decoded.repaired
    assert decoded.text.count("\ufffd") == 3
    assert decoded.text.replace("\ufffd", "é") == page(FRENCH)


@pytest.mark.parametrize(
    ("text", "codec", "said"), [(FRENCH, "utf8", ""), (CHINESE, "gb18030", "gbk")]
)
def test_a_character_that_is_cut_at_the_end_is_dropped(text, codec, said):
    whole = page(text, said) + "é"
    body = whole.encode(codec)[:-1]
    decoded = decode(body, charset=said)
    assert decoded.text == page(text, said)
    assert decoded.repaired


def test_a_declared_charset_is_used_in_spite_of_a_few_broken_bytes():
    body = page(CHINESE, "gb2312").encode("gb18030").replace("页".encode("gb18030"), b"\xff", 1)
    decoded = decode(body)
    assert decoded.charset == "gb18030"
    assert decoded.text.count("朱镕基") == 12
    text = decode(page("<p>one \x81 two \x9d three</p>", "windows-1252").encode("latin-1")).text
    assert "one " in text
    assert " three" in text


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("UTF8", "utf-8"), (" ISO-8859-1 ", "cp1252"), ("latin1", "cp1252"),
        ("ISO-8859-9", "cp1254"), ("iso-8859-11", "cp874"), ("GBK", "gb18030"),
        ("Big5", "big5hkscs"), ("EUC-KR", "cp949"), ("windows-31j", "cp932"),
        ("x-cp1251", "cp1251"), ("iso88591", "cp1252"), ("csISO88598E", "iso8859-8"),
        ("rot13", None), ("base64", None), ("utf-7", None),
        ("unicode_escape", None), ("idna", None), ("", None), ("a\0b", None), ("é", None),
    ],
)  # fmt: skip
def test_codec_of_a_label(label, codec):
    assert codec_of(label) == codec


def test_control_characters_are_removed():
    body = b"<p>one\0two\x08 three\x0bfour\x0cfive\tsix\r\nse\x7fven\x1b[0m</p>"
    decoded = decode(body, content_type="text/html")
    assert decoded.text == "<p>onetwo three four five\tsix\r\nseven[0m</p>"
    assert decoded.repaired
    assert decode(page(FRENCH).replace(" ", "\0 ").encode()).text == page(FRENCH)


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"<p>x</p>", "text/html", "html"),
        (b"just words", "text/html", "html"),
        (b"<p>x</p>", "application/xhtml+xml; charset=utf-8", "html"),
        (b"just words", "text/plain", "text"),
        (b"a <b> c", "text/plain", "text"),
        (b"<!DOCTYPE html><p>x", "text/plain", "html"),
        (b"<rss/>", "application/rss+xml", "xml"),
        (b"<rss/>", "text/xml", "xml"),
        (b'<?xml version="1.0"?>\n<!-- c -->\n<html/>', "application/xml", "html"),
        (b"just words", None, "text"),
        (b"", None, None),
        (b"words <b>and</b> tags", None, "html"),
        (b'<?xml version="1.0"?><rss/>', None, "xml"),
        (b"just words", "nonsense", "text"),
        (b"GIF89a is the name of a format", "text/plain", "text"),
    ],
)
def test_content_type(body, content_type, expected):
    if expected is None:
        with pytest.raises(EmptyPage):
            decode(body, content_type=content_type)
    else:
        assert decode(body, content_type=content_type).content_type == expected


@pytest.mark.parametrize("content_type", ["application/pdf", "image/svg+xml", "application/json"])
def test_other_declared_types_are_refused_by_name(content_type):
    with pytest.raises(UnsupportedContent, match=content_type.replace("+", r"\+")):
        decode(b"<p>x</p>", content_type=content_type)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"%PDF-1.7\n1 0 obj", "PDF"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "JPEG"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"),
        (b"GIF89a\x01\0\x01\0", "GIF"),
        (b"PK\x03\x04\x14\0", "ZIP"),
        (gzipped(b"<p>x"), "gzip"),
        (b"\x7fELF\x02\x01\x01\0", "ELF"),
        (b"\0\0\0 ftypisom\0\0\x02\0", "MP4"),
        (b"wOF2\0\x01\0\0", "font"),
        (bytes(range(256)) * 40, "binary"),
        (b"\0" * 100, "binary"),
    ],
)
def test_binary_files_are_refused_even_if_declared_as_html(body, name):
    with pytest.raises(UnsupportedContent, match=name):
        decode(body, content_type="text/html")


@pytest.mark.parametrize("body", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_page_without_text_is_refused(body):
    with pytest.raises(EmptyPage):
        decode(body, content_type="text/html")


def raw_deflate(body):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()


BODY = page(FRENCH).encode()
COMPRESSED = {
    "gzip": gzipped(BODY),
    "x-gzip": gzipped(BODY),
    "deflate": zlib.compress(BODY),
    "br": brotli.compress(BODY),
    "zstd": zstandard.compress(BODY),
}


@pytest.mark.parametrize(
    ("content_encoding", "body"),
    [
        *COMPRESSED.items(),
        *((name, BODY) for name in COMPRESSED),
        ("deflate", raw_deflate(BODY)),
        ("gzip, br", brotli.compress(gzipped(BODY))),
        ("GZIP", gzipped(BODY)),
        ("identity", BODY),
        ("", BODY),
        ("gzip", gzipped(BODY[:100]) + gzipped(BODY[100:])),
        ("gzip", gzipped(BODY) + b"trailing"),
        ("zstd", zstandard.compress(BODY[:100]) + zstandard.compress(BODY[100:])),
    ],
)
def test_a_content_encoding_is_undone(content_encoding, body):
    assert decode(body, content_encoding=content_encoding).text == page(FRENCH)


@pytest.mark.parametrize("name", COMPRESSED)
def test_a_broken_stream_is_refused(name):
    with pytest.raises(UnsupportedContent, match=f"the {name} stream is broken"):
        decode(COMPRESSED[name][:-20], content_encoding=name)


def test_an_unknown_content_encoding_is_refused():
    with pytest.raises(UnsupportedContent, match="'compress'"):
        decode(BODY, content_encoding="compress")
    with pytest.raises(UnsupportedContent, match="5 content encodings"):
        decode(BODY, content_encoding="gzip," * 5)


@pytest.mark.parametrize(
    ("name", "compress"),
    [
        ("gzip", gzipped),
        ("deflate", zlib.compress),
        ("deflate", raw_deflate),
        ("br", lambda body: brotli.compress(body, quality=3)),
        ("zstd", zstandard.compress),
    ],
)
def test_a_compressed_bomb_is_stopped_at_the_limit(name, compress):
    bomb = compress(b"<" * (64 << 20))
    with pytest.raises(PageTooLarge, match=str(LIMIT)):
        decode(bomb, content_encoding=name)


def test_a_page_with_too_many_bytes_is_refused():
    assert decode(b"x" * LIMIT)
    with pytest.raises(PageTooLarge):
        decode(b"x" * (LIMIT + 1))


@given(
    body=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-16")),
    content_type=st.none() | st.sampled_from(["text/html", "text/plain; charset=big5", "a/b", ";"]),
    charset=st.none() | st.text(max_size=12) | st.sampled_from(["gbk", "utf-16", "iso-2022-jp"]),
    content_encoding=st.none() | st.sampled_from(list(COMPRESSED)) | st.text(max_size=8),
    head=st.sampled_from(
        [b"", b"<p>", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\x1b$B"]
    ),
)
def test_any_bytes_give_a_page_or_a_page_error(body, content_type, charset, content_encoding, head):
    declared = {"content_type": content_type, "charset": charset}
    try:
        decoded = decode(head + body, content_encoding=content_encoding, **declared)
    except PageError as error:
        assert str(error)  # noqa: PT017 - any page error will do
    else:
        decoded.text.encode()
        assert not set(decoded.text) & {chr(code) for code in range(32)} - set("\t\n\r")
