"""Builders of synthetic pages with gold."""

from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.page_level.model.model_file import shipped_model
from workers.lab.evaluation.corpus_files import EvaluationPage
from workers.lab.evaluation.judge import Judge

BODY = "".join(
    f"<p>Sentence {n} of an article that somebody wrote, with commas, and a full stop.</p>"
    for n in range(12)
)
TEXT = "\n".join(
    f"Sentence {n} of an article that somebody wrote, with commas, and a full stop."
    for n in range(12)
)
MENU = "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(25))
HTML = f"<html><body><ul class=nav>{MENU}</ul><article>{BODY}</article></body></html>"


def gold_page(number=0, **fields):
    values = {
        "corpus": "news",
        "offset": number,
        "url": f"https://a{number % 3}.org/{number}",
        "site": f"a{number % 3}.org",
        "page_type": "article",
        "seen": number // 3 + 1,
        "body": HTML.encode(),
        "charset": "utf-8",
        "content_type": None,
        "gold_text": TEXT,
        "selectors": GoldSelectors(content="article"),
        "neutral": None,
    }
    return EvaluationPage(**{**values, **fields})


def judge(peers=None, *, with_segments=True):
    return Judge([shipped_model()], peers or {}, with_segments=with_segments)
