"""F-measures of template and content over many pages, as the mean over sites."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from templ_core.lab.evaluation.bootstrap import Interval, bootstrap
from templ_core.lab.evaluation.template_f import Overlap, PlaceF, TemplateF


class FMean(msgspec.Struct, frozen=True, kw_only=True):
    """One f-measure over sites: amounts are summed over the pages of a site, then sites are averaged."""

    sites: int
    """Number of sites whose gold has any of the amount."""
    f: float
    interval: Interval | None
    precision: float
    recall: float
    all_f: float
    """The f that is reached by putting everything into this class."""


class TemplateFMeans(msgspec.Struct, frozen=True, kw_only=True):
    """F-measures by amount: `text`, `anchor_text`, `links`; amounts without gold are left out."""

    in_templates: dict[str, FMean]
    in_content: dict[str, FMean]


def mean_f(pages: Sequence[tuple[str, TemplateF]], seed: int) -> TemplateFMeans:
    """Return the f-measures over the sites of some pages.

    Args:
        pages: The site and the overlaps of each page.
        seed: Seed of the bootstrap over sites.
    """
    sites: defaultdict[str, list[TemplateF]] = defaultdict(list)
    for site, one in pages:
        sites[site].append(one)
    summed = [
        (_summed(one.in_templates for one in some), _summed(one.in_content for one in some))
        for some in sites.values()
    ]
    return TemplateFMeans(
        in_templates=_means([(inside, outside) for inside, outside in summed], seed),
        in_content=_means([(inside, outside) for outside, inside in summed], seed),
    )


def _summed(places: Iterable[PlaceF]) -> PlaceF:
    """Return the overlaps summed over pages."""
    some = list(places)
    return PlaceF(
        **{
            field: Overlap(
                both=sum(getattr(one, field).both for one in some),
                found=sum(getattr(one, field).found for one in some),
                wanted=sum(getattr(one, field).wanted for one in some),
            )
            for field in PlaceF.__struct_fields__
        }
    )


def _means(sites: Sequence[tuple[PlaceF, PlaceF]], seed: int) -> dict[str, FMean]:
    """Return the means over sites for the first class of each pair; a pair holds all that is scored."""
    means = {}
    for field in PlaceF.__struct_fields__:
        pairs: list[tuple[Overlap, Overlap]] = [
            (getattr(inside, field), getattr(outside, field)) for inside, outside in sites
        ]
        scored = [pair for pair in pairs if pair[0].wanted]
        if not scored:
            continue
        values = [inside.f or 0.0 for inside, _ in scored]
        mean = bootstrap(values, [str(number) for number in range(len(values))], seed)
        count = len(scored)
        means[field] = FMean(
            sites=count,
            f=mean.of_sites,
            interval=mean.sites_interval,
            precision=sum(inside.precision for inside, _ in scored) / count,
            recall=sum(inside.recall for inside, _ in scored) / count,
            all_f=sum(_f_of_all(inside, outside) for inside, outside in scored) / count,
        )
    return means


def _f_of_all(inside: Overlap, outside: Overlap) -> float:
    everything = inside.found + outside.found
    return 2 * inside.wanted / (everything + inside.wanted)
