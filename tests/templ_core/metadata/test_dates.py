import pytest

from templ_core.metadata.dates import day_in_path, day_in_text, point_in_time


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-03-01T10:00:00Z", "2024-03-01T10:00:00Z"),
        ("2024-03-01T10:00:00.123456789+0100", "2024-03-01T09:00:00Z"),
        ("2024-03-01 10:00:00 +0100", "2024-03-01T09:00:00Z"),
        ("2024-03-01 10:00:00 UTC", "2024-03-01T10:00:00Z"),
        ("2024-03-01T10:00:00", "2024-03-01"),
        ("20240301", "2024-03-01"),
        ("Fri, 01 Mar 2024 10:00:00 GMT", "2024-03-01T10:00:00Z"),
        ("March 1, 2024", "2024-03-01"),
        ("1 de marzo de 2024", "2024-03-01"),
        ("2024年3月1日", "2024-03-01"),
        ("01.03.2024", "2024-03-01"),
        ("1. 3. 2024", "2024-03-01"),
        (">25.06 2016", "2016-06-25"),
        ("Version 2.5 2016", None),
        ("31/12/2024", "2024-12-31"),
        ("01/03/2024", None),
        ("2024-02-30", None),
        ("1024-03-01", None),
        ("", None),
    ],
)
def test_dates_are_read_or_absent(text, value):
    assert point_in_time(text) == value


def test_a_day_in_a_text_and_in_a_path():
    assert day_in_text("Last updated 4 May 2023, 10:12") == "2023-05-04"
    assert day_in_text("No date, 12 may be 2024 pages") is None
    assert day_in_path("https://a.example/2024-03-01-story") == "2024-03-01"
    assert day_in_path("https://a.example/1234567890") is None
