"""The page models that clean the pages of an evaluation."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from templ_core.lab.training.pages import owner_of_each
from templ_core.page_level.model.page_model import PageModel
from workers.errors import UsageProblem
from workers.lab.evaluation.corpus_files import EvaluationPage
from workers.processes.page_model import page_model_of, read_model_file


class PageModels(msgspec.Struct, frozen=True, kw_only=True):
    """One model for every page, or several that were each trained without some sites."""

    bodies: list[bytes]
    """Models in the form that `read_model_file` returns."""
    folds: Mapping[str, Mapping[str, int]]
    """For each corpus and site the number of a model trained without it; empty for one model."""

    def number_for(self, page: EvaluationPage) -> int:
        """Return the number of the model for a page; 0 if no model was trained on its site."""
        of_corpus = self.folds.get(page.corpus, {}).get(page.site)
        if of_corpus is not None:
            return of_corpus
        elsewhere = (sites[page.site] for sites in self.folds.values() if page.site in sites)
        return next(elsewhere, 0)

    def left_out(self, pages: Sequence[tuple[str, str, str]]) -> list[tuple[int, PageModel] | None]:
        """Return for each page a model, with its number, that was trained without the site's owner.

        That is the first one for corpora on which no model was trained, and None for pages of sites that
        were not trained on because they have no gold.
        """
        models = [page_model_of(body) for body in self.bodies]
        owners = owner_of_each([(url, site) for _, url, site in pages])
        known: dict[str, int] = {}
        for (corpus, _, site), owner in zip(pages, owners, strict=True):
            fold = self.folds.get(corpus, {}).get(site)
            if fold is not None:
                known.setdefault(owner, fold)
        of_each = [
            known.get(owner, None if corpus in self.folds else 0)
            for (corpus, _, _), owner in zip(pages, owners, strict=True)
        ]
        return [None if fold is None else (fold, models[fold]) for fold in of_each]

    def versions(self) -> list[str]:
        """Return the versions of the models."""
        return [page_model_of(body).version for body in self.bodies]

    def training_corpora(self) -> set[str]:
        """Return the names of the corpora on which the single model was trained."""
        return set() if self.folds else set(page_model_of(self.bodies[0]).about.corpora)


def one_model(path: Path | None) -> PageModels:
    """Return the model of a file, or the shipped one for None.

    Raises:
        SettingsProblem: The file cannot be used.
    """
    return PageModels(bodies=[read_model_file(path)], folds={})


def models_of_folds(directory: Path) -> PageModels:
    """Return the models that `templ train --folds` wrote to a directory.

    Raises:
        UsageProblem: The directory has no index of such models.
        SettingsProblem: One of its models cannot be used.
    """
    index = directory / "folds.json"
    try:
        folds = msgspec.json.decode(index.read_bytes(), type=dict[str, dict[str, int]])
    except OSError as error:
        raise UsageProblem(f"--folds {index}: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise UsageProblem(
            f"--folds {index}: not an index that `templ train --folds` wrote: {error}"
        ) from None
    count = 1 + max((number for sites in folds.values() for number in sites.values()), default=0)
    bodies = [read_model_file(directory / f"fold-{number}.bin") for number in range(count)]
    return PageModels(bodies=bodies, folds=folds)
