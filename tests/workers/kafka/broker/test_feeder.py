import msgspec

from schemas.page import HEADER_URL
from tests.workers.builders import page
from workers.kafka.broker.feeder import page_headers


def test_headers_that_came_with_a_page_go_on_with_it():
    given = msgspec.structs.replace(page(1, b"<p>"), headers=(("trace", b"7"), ("flag", None)))
    found = page_headers(given)
    assert found[-2:] == [("trace", b"7"), ("flag", None)]
    assert dict(found)[HEADER_URL] == given.url.encode()
