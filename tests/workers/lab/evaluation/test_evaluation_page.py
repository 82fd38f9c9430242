import json

import msgspec
import pytest

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_json
from schemas.source import Source
from tests.schemas.test_messages import CLEANED
from tests.workers.lab.evaluation.builders import gold_page
from workers.errors import InputProblem, UsageProblem
from workers.lab.evaluation.corpus_files import EarlierOutputs, read_evaluation_pages
from workers.lab.evaluation.page_models import PageModels, models_of_folds

PAGE = {"url": "https://a.org/1", "html": "<p>text", "gold_text": "text", "site": "a"}


def pages(*records):
    return list(read_evaluation_pages("c", [(json.dumps(one).encode(), one) for one in records]))


def test_pages_are_numbered_by_record_and_counted_by_site():
    found = pages(PAGE, {**PAGE, "gold_text": None}, PAGE, {**PAGE, "site": "b"})
    assert [(page.offset, page.site, page.seen) for page in found] == [
        (0, "a", 1),
        (2, "a", 3),
        (3, "b", 1),
    ]
    assert found[0].selectors is None


def test_selectors_are_read():
    (page,) = pages({**PAGE, "gold_selector": "p", "gold_neutral": "h1", "kind": "news"})
    assert (page.selectors.content, page.selectors.neutral, page.neutral) == ("p", "h1", "h1")
    assert page.page_type == "news"


@pytest.mark.parametrize(
    "record",
    [
        {"gold_text": "x"},
        {**PAGE, "html": None},
        {**PAGE, "status": 404, "html": None},
        {**PAGE, "gold_selector": 3},
    ],
)
def test_gold_without_a_page_is_refused(record):
    with pytest.raises(InputProblem, match="c, record 0"):
        pages(record)


def record(offset, *, checksum=0, **fields) -> CleanedRecord:
    return msgspec.structs.replace(CLEANED, source=Source("x", checksum, offset), **fields)


def outputs(*records):
    found = EarlierOutputs()
    found.add("out", map(encode_json, records))
    return found


def test_outputs_are_joined_with_their_pages_by_the_record_and_not_by_its_number():
    (page,) = pages(PAGE)
    mine = record(0, checksum=page.checksum, text="mine")
    assert outputs(mine).for_page(page).text == "mine"
    assert outputs(msgspec.structs.replace(mine, revision=1)).for_page(page) is None
    other = record(0, checksum=page.checksum + 1, text="other", url="https://other.org/")
    assert outputs(other).for_page(page) is None
    assert outputs(other, mine).for_page(page).text == "mine"


def test_outputs_without_a_checksum_are_joined_by_their_url():
    (page,) = pages(PAGE)
    kafka = [record(number, url=PAGE["url"], text=str(number)) for number in (7, 0, 9)]
    assert outputs(kafka[0]).for_page(page).text == "7"
    assert outputs(*kafka).for_page(page).text == "0"
    assert outputs(kafka[0], kafka[2]).for_page(page) is None


def test_a_line_that_is_no_record_is_refused():
    with pytest.raises(InputProblem, match="out, line 1: not a cleaned record"):
        EarlierOutputs().add("out", [b"{}"])


def test_each_page_is_cleaned_by_a_model_trained_without_its_site():
    models = PageModels(bodies=[b"", b"", b""], folds={"news": {"a0.org": 2, "a1.org": 1}})
    assert models.number_for(gold_page(0)) == 2
    assert models.number_for(gold_page(1, corpus="other")) == 1
    assert models.number_for(gold_page(2)) == 0


def test_a_directory_without_folds_is_refused(tmp_path):
    with pytest.raises(UsageProblem, match="folds.json: No such file"):
        models_of_folds(tmp_path)
    (tmp_path / "folds.json").write_text("[]")
    with pytest.raises(UsageProblem, match="not an index that `templ train --folds` wrote"):
        models_of_folds(tmp_path)
    (tmp_path / "folds.json").write_text('{"c": {"a": 1}}')
    with pytest.raises(UsageProblem, match="fold-0.bin"):
        models_of_folds(tmp_path)
