"""The page models that clean the pages of an evaluation."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from workers.errors import UsageProblem
from workers.lab.evaluation.gold_page import GoldPage
from workers.processes.page_model import page_model_of, read_model_file


class PageModels(msgspec.Struct, frozen=True, kw_only=True):
    """One model for every page, or several that have each not seen a part of the sites."""

    bodies: list[bytes]
    """What `read_model_file` gives."""
    folds: Mapping[str, Mapping[str, int]]
    """Corpus, site: the model that has not seen it; empty = one model for all."""

    def number_for(self, page: GoldPage) -> int:
        """Which model cleans a page; that of a site no model has seen is the first."""
        of_corpus = self.folds.get(page.corpus, {}).get(page.site)
        if of_corpus is not None:
            return of_corpus
        elsewhere = (sites[page.site] for sites in self.folds.values() if page.site in sites)
        return next(elsewhere, 0)

    def versions(self) -> list[str]:
        """Versions of the models."""
        return [page_model_of(body).version for body in self.bodies]

    def training_corpora(self) -> set[str]:
        """Names of the corpora with pages that the one model for all was trained on."""
        return set() if self.folds else set(page_model_of(self.bodies[0]).about.corpora)


def one_model(path: Path | None) -> PageModels:
    """The model in a file; None = the shipped one.

    Raises:
        UsageProblem: it cannot be used.
    """
    return PageModels(bodies=[read_model_file(path)], folds={})


def models_of_folds(directory: Path) -> PageModels:
    """The models that `templ train --folds` wrote.

    Raises:
        UsageProblem: the directory does not hold them.
    """
    index = directory / "folds.json"
    try:
        folds = msgspec.json.decode(index.read_bytes(), type=dict[str, dict[str, int]])
    except OSError as error:
        raise UsageProblem(f"--folds {index}: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise UsageProblem(
            f"--folds {index}: not what `templ train --folds` writes: {error}"
        ) from None
    count = 1 + max((number for sites in folds.values() for number in sites.values()), default=0)
    bodies = [read_model_file(directory / f"fold-{number}.bin") for number in range(count)]
    return PageModels(bodies=bodies, folds=folds)
