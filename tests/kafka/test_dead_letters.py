"""`templ dlq` on dead letters that a real worker has written."""

import json

from click.testing import CliRunner

from schemas.topics import PAGES
from tests.kafka.stream import wait_until
from workers.cli.dlq import dlq_command
from workers.errors import InputProblem

STORY = b"<p>" + b"The council met on Monday, and the bridge stays open until May. " * 60


def produce(stream, *messages):
    names = ("key", "value", "headers")
    stream.send(PAGES, *(dict(zip(names, one, strict=True)) for one in messages))


def dlq(stream, command, *arguments, fails=None):
    """Run `templ dlq` in this process; answers its outputs, or the error that it must end with."""
    done = CliRunner().invoke(dlq_command, [command, *arguments, *stream.options])
    if fails is not None:
        assert isinstance(done.exception, fails)
        return str(done.exception)
    assert done.exception is None, done.exception
    return done


def listed(stream, *options):
    return [
        json.loads(line) for line in dlq(stream, "list", "--json", *options).stdout.splitlines()
    ]


def test_dead_letters_are_listed_shown_and_sent_again(stream):
    long = [("url", b"https://a.org/long"), ("Trace", "höher".encode()), ("Trace", b"two")]
    json_page = json.dumps({"url": "https://b.org/1", "html": STORY.decode()}).encode()
    messages = (
        (b"a.org", STORY, long),
        (b"nobody", b"no page\nat all", []),
        (b"b.org", json_page, []),
        (b"a.org", b"<p>Short and good.", [("url", b"https://a.org/short")]),
    )
    produce(stream, *messages)
    stream.start(TEMPL_PAGE_LIMIT_BYTES="2KiB")
    stream.finish()
    assert stream.log().count(f"settings: broker={stream.address}, prefix={stream.prefix},") == 1
    assert "page_limit_bytes=2KiB (TEMPL_PAGE_LIMIT_BYTES)" in stream.log()
    letters = {one["url"]: one for one in listed(stream)}
    assert letters.keys() == {"https://a.org/long", "https://b.org/1", None}
    first = letters["https://a.org/long"]
    assert (first["site"], first["redrives"], first["is_cut"]) == ("a.org", 0, False)
    assert letters[None]["reason"] == "MissingUrl"
    assert [one["url"] for one in listed(stream, "--site", "b.org")] == ["https://b.org/1"]
    assert [one["url"] for one in listed(stream, "--reason", "MissingUrl")] == [None]
    assert listed(stream, "--until", "2020-01-01T00:00:00Z") == []
    assert len(listed(stream, "--since", "1h")) == 3
    assert len(listed(stream, "--limit", "2")) == 2
    text = dlq(stream, "list")
    assert text.stdout.count("\n") == 3
    assert text.stderr.startswith("3 dead letters: ")
    shown = dlq(stream, "show", first["id"]).stdout
    assert "__streams.errors.stacktrace: " in shown
    assert f"value: {len(STORY)} bytes" in shown
    assert "key: a.org\n" in shown
    assert "has no letter 7-7" in dlq(stream, "show", "7-7", fails=InputProblem)
    wrong = CliRunner().invoke(dlq_command, ["list", "--since", "soon", *stream.options])
    assert wrong.exit_code == 2
    assert "soon is no time" in wrong.output

    again = ("redrive", "--since", "1h")
    dry = dlq(stream, *again, "--dry-run").stderr
    assert dry.startswith("3 pages would be sent again; left out: 0 are cut")
    assert len(stream.records(PAGES)) == 4
    done = dlq(stream, *again, "--site", "a.org", "--rate", "50").stderr
    assert done.startswith("1 page sent again")
    assert dlq(stream, *again, "--reason", "MissingUrl", "--limit", "1").stderr.startswith(
        "1 page sent"
    )
    (sent,) = [
        one
        for one in stream.records(PAGES)
        if one.key == b"a.org" and ("templ.redrives", b"1") in one.headers
    ]
    assert (sent.value, sent.headers[:3]) == (STORY, tuple(long))
    stream.start()  # with room for the page
    wait_until(lambda: len(listed(stream)) == 4, stream.log)  # what is no page is none again
    wait_until(lambda: "https://a.org/long" in stream.last_sources(), stream.log)
    assert stream.stop() == 0
    (dead_again,) = [one for one in listed(stream) if one["redrives"] == 1]
    assert dead_again["reason"] == "MissingUrl"
    left_out = dlq(
        stream, *again, "--reason", "MissingUrl", "--redrives-max", "1", "--dry-run"
    ).stderr
    assert left_out.startswith("1 page would be sent again")
    assert "1 were sent again 1 times already" in left_out
