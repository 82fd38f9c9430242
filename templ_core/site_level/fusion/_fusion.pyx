"""Columns of the fusion, their weighed sum, and what follows from it; see `site_evidence.py`, `fusion.py` and `decide.py`."""

from libc.math cimport exp, log, log1p, rint
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.fusion import site_columns as names


cdef enum:
    COLUMNS = 18    # how many columns `combine` makes


cdef inline double within(double value, double low, double high) noexcept:
    return min(max(value, low), high)


cdef double *added(dict columns, str name, rows) except NULL:
    """Add the next of `rows` to the columns under a name, and return its first item."""
    columns[name] = row = next(rows)
    return <double *>items(row, 8, True)


def combine(evidence, int32_t length_max, double margin, double least_words):
    """Return columns by name.

    Args:
        length_max: Words from which on longer text makes nothing surer.
        margin: Probabilities are kept this far from 0 and 1.
        least_words: Covered words up to which a run of repeated prose says nothing.
    """
    places, trees, strings, page_type = evidence.places, evidence.trees, evidence.strings, evidence.page_type
    cdef Py_ssize_t count = len(evidence.words), segment
    cdef const double *page_log_odds = <const double *>items(evidence.content_log_odds, 8)
    cdef const double *content_around = <const double *>items(evidence.surroundings, 8)
    cdef const double *best_share = <const double *>items(evidence.best_share, 8)
    cdef const uint8_t *is_headline = <const uint8_t *>items(evidence.headline, 1)
    cdef const uint8_t *is_label = <const uint8_t *>items(evidence.repeated, 1)
    cdef const int32_t *length = <const int32_t *>items(evidence.words, 4)
    cdef const double *place_log_odds = <const double *>items(places.log_odds, 8)
    cdef const int64_t *path_pages = <const int64_t *>items(places.path_pages, 8)
    cdef const uint8_t *is_constant = <const uint8_t *>items(places.constant, 1)
    cdef const int64_t *text_pages = <const int64_t *>items(places.text_pages, 8)
    cdef const int64_t *shape_pages = <const int64_t *>items(places.shape_pages, 8)
    cdef const double *tree_log_odds = NULL if trees is None else <const double *>items(trees.log_odds, 8)
    cdef const int64_t *tree_pages = NULL if trees is None else <const int64_t *>items(trees.place_pages, 8)
    cdef const int32_t *usual_words = <const int32_t *>items(strings.usual_words, 4)
    cdef const double *covered = <const double *>items(strings.some.share, 8)
    cdef double documentation = page_type.documentation
    cdef int64_t pages = evidence.pages, first, last, known_pages
    first, last = evidence.best

    cdef dict columns = {}
    rows = iter(np.empty((COLUMNS, count)))
    cdef double *page = added(columns, names.PAGE, rows)
    cdef double *place = added(columns, names.PLACE, rows)
    cdef double *surroundings = added(columns, names.SURROUNDINGS, rows)
    cdef double *usual_best = added(columns, names.USUAL_BEST_CONTAINER, rows)
    cdef double *in_best = added(columns, names.IN_BEST_CONTAINER, rows)
    cdef double *headline = added(columns, names.HEADLINE, rows)
    cdef double *same_shape = added(columns, names.SAME_SHAPE, rows)
    cdef double *usual_string = added(columns, names.USUAL_STRING, rows)
    cdef double *trust = added(columns, names.TRUST, rows)
    cdef double *log_length = added(columns, names.LENGTH, rows)
    cdef double *recurs = added(columns, names.RECURS, rows)
    cdef double *by_tree = added(columns, names.BY_TREE, rows)
    cdef double *place_pages = added(columns, names.PLACE_PAGES, rows)
    cdef double *constant = added(columns, names.CONSTANT, rows)
    apart = _apart(strings.alike, strings.listed, evidence.named)
    for cover, plain, of_records in (
        (strings.few, names.FEW_COVER, names.FEW_COVER_OF_RECORDS),
        (strings.some, names.SOME_COVER, names.SOME_COVER_OF_RECORDS),
    ):
        _cover(
            cover, apart, max(documentation, page_type.forum), least_words, length_max,
            added(columns, plain, rows), added(columns, of_records, rows),
        )
    if len(columns) != COLUMNS:
        raise AssertionError("a row for each column")

    cdef double log_odds_max = log((1 - margin) / margin), most_usual = 0
    cdef double mass, known_mass = 0, all_mass = 0, own_value, place_value, probability, repeats
    for segment in range(count):
        most_usual = max(most_usual, best_share[segment])
        mass = length[segment] / (1 + exp(-page_log_odds[segment]))
        all_mass += mass
        known_pages = path_pages[segment]
        if tree_pages != NULL:
            known_pages = max(known_pages, tree_pages[segment])
        if known_pages > 0:
            known_mass += mass
        place_pages[segment] = known_pages
        by_tree[segment] = known_pages > 0 and path_pages[segment] == 0
    for segment in range(count):
        own_value, place_value = page_log_odds[segment], place_log_odds[segment]
        if tree_log_odds != NULL and path_pages[segment] == 0:
            place_value = tree_log_odds[segment]
        page[segment] = within(own_value, -log_odds_max, log_odds_max)
        probability = within(content_around[segment], margin, 1 - margin)
        surroundings[segment] = log(probability / (1 - probability))
        usual_best[segment] = best_share[segment] - most_usual
        in_best[segment] = 0.5 if first <= segment < last else -0.5
        headline[segment] = is_headline[segment]
        # `repeats`: how far text that all pages have is meant to be repeated, 0 to 1.
        repeats = 0
        if is_label[segment] or (own_value > 0 and in_best[segment] > 0 and usual_best[segment] == 0):
            repeats = documentation
        constant[segment] = is_constant[segment]
        place[segment] = place_value
        log_length[segment] = log(<double>min(length[segment], length_max))
        same_shape[segment] = (1 - repeats) * shape_pages[segment] / <double>max(pages, 1)
        usual_string[segment] = (1 - documentation) * log1p(usual_words[segment])
        recurs[segment] = text_pages[segment] > 1
        trust[segment] = max(covered[segment], (
            1 if max(text_pages[segment], shape_pages[segment]) > 1 else known_mass / all_mass
        ))
    return columns


def cover_columns(cover, alike, listed, named, page_type, double least, double most):
    """Return the two inputs that say how much of some text the strings of one level cover, as rows of an array.

    The second is for documentation and forums, the first for pages without records. They are 0 for runs of few words,
    and grow with the logarithm of the words. A text of which the same stands beside it on half of its pages counts
    nothing, nor does one of which the page has half more than once: it is a pattern of a list. Text that names what its
    page is about counts less, since no other page could have it.

    Args:
        cover: What they cover, a `Cover`.
        alike: How often the same stands beside it, see `StringEvidence`.
        listed: How much of it the page has more than once, likewise.
        named: Share of the pairs of words in the page's headline that it has, 0 to 1.
        least: Words of a run up to which it says nothing.
        most: Words of a run from which on more of them make nothing surer.
    """
    columns = np.empty((2, len(alike)))
    cdef double *plain = <double *>items(columns, 8, True)
    _cover(
        cover, _apart(alike, listed, named), max(page_type.documentation, page_type.forum), least, most, plain,
        plain + len(alike),
    )
    return columns


cdef object _apart(alike_column, listed_column, named_column):
    """Return how much it counts that strings cover some text, 0 to 1, see `cover_columns`."""
    cdef Py_ssize_t row
    cdef const double *alike = <const double *>items(alike_column, 8)
    cdef const double *listed = <const double *>items(listed_column, 8)
    cdef const double *named = <const double *>items(named_column, 8)
    column = np.empty(len(alike_column))
    cdef double *apart = <double *>items(column, 8, True)
    for row in range(len(alike_column)):
        apart[row] = max(1 - 2 * max(alike[row], listed[row]), 0.0) * (1 - named[row])
    return column


cdef int _cover(
    cover, apart_column, double records, double least, double most, double *plain, double *of_records
) except -1:
    cdef Py_ssize_t row
    cdef const double *share = <const double *>items(cover.share, 8)
    cdef const double *run_words = <const double *>items(cover.run_words, 8)
    cdef const double *apart = <const double *>items(apart_column, 8)
    cdef double sure
    for row in range(len(apart_column)):
        sure = share[row] * apart[row]
        sure *= log(within(run_words[row], least, most) / least)
        plain[row], of_records[row] = (1 - records) * sure, records * sure
    return 0


def pages_with_places(columns, page):
    """Return the pages that have the places of a page's content, a `PageEvidence`, in the mean over its content."""
    cdef Py_ssize_t segment
    cdef const double *pages = <const double *>items(columns[names.PLACE_PAGES], 8)
    cdef const double *words = <const double *>items(page.words, 8)
    cdef const double *log_odds = <const double *>items(page.log_odds, 8)
    cdef double mass, all_mass = 0, total = 0
    for segment in range(len(page.words)):
        mass = words[segment] / (1 + exp(-log_odds[segment]))
        all_mass += mass
        total += pages[segment] * mass
    return <int64_t>rint(total / all_mass)


def weighed(own, site, double share, double long_weight, double length_max, double steps):
    """Return rounded log-odds between those of the page alone and those of its site, as rows of an array.

    The second ones are without what repeated text adds. Of equal evidence of the site a paragraph is surer than a
    label. The weights of the fusion are fitted without this factor: with it, the fit would trade short text of one
    corpus for long text of another.

    Args:
        own: Log-odds for content of each segment by the page alone.
        share: How much the site counts at most, 0 to 1; for each segment it is multiplied with its trust.
        long_weight: What the site's log-odds of a segment of `length_max` words or more are multiplied with, and those
            of a segment of one word divided by.
        length_max: See there.
        steps: The log-odds are rounded to multiples of 1 / steps, so that every machine gives the same text.
    """
    cdef Py_ssize_t count = len(own), segment
    cdef const double *alone = <const double *>items(own, 8)
    cdef const double *fused = <const double *>items(site.log_odds, 8)
    cdef const double *repeated = <const double *>items(site.repeated_log_odds, 8)
    cdef const double *trust = <const double *>items(site.columns[names.TRUST], 8)
    cdef const double *log_length = <const double *>items(site.columns[names.LENGTH], 8)
    cdef double short_weight = 1 / long_weight, factor, weight
    cdef double slope = (long_weight - short_weight) / log(length_max)
    rows = np.empty((2, count))
    cdef double *mixed = <double *>items(rows, 8, True)
    cdef double *rest = mixed + count
    for segment in range(count):
        factor = short_weight + slope * log_length[segment]
        weight = trust[segment] * share
        mixed[segment] = alone[segment] + weight * (fused[segment] * factor - alone[segment])
        rest[segment] = alone[segment] + weight * ((fused[segment] - repeated[segment]) * factor - alone[segment])
        mixed[segment] = rint(mixed[segment] * steps) / steps
        rest[segment] = rint(rest[segment] * steps) / steps
    return rows


def fused_log_odds(dict columns, dict terms, double bias, chosen=None):
    """Return the log-odds for content of each segment, by page and site; length n_segments.

    They are the bias and the sum over all terms of weight * (column, cut off at low and high).

    Args:
        columns: Columns of the page by name, with at least those of the terms.
        chosen: The names of the only terms that count; None = all.
    """
    cdef Py_ssize_t count = len(next(iter(columns.values()))), segment
    cdef double weight, low, high
    cdef const double *column
    log_odds = np.empty(count)
    cdef double *total = <double *>items(log_odds, 8, True)
    for segment in range(count):
        total[segment] = bias
    for name, term in terms.items():
        if chosen is not None and name not in chosen:
            continue
        column = <const double *>items(columns[name], 8)
        weight, low, high = term.weight, term.low, term.high
        for segment in range(count):
            total[segment] += weight * within(column[segment], low, high)
    return log_odds


def unlikely_content(log_odds, dict columns, page_type, double likely):
    """Return which segments of an article or of documentation are left out whatever the cut; length n_segments.

    The cut maximises expected F1 as if segments were right or wrong one by one. Teasers, notes on authors and
    menus are right or wrong together, and where they are most of a page the cut falls so low that it takes
    them all. So text that is rather template than content is left out: on an article everywhere, on documentation
    where other pages have it, and it is neither in the page's best container nor in the most usual one around a best
    container. A page that may be a thread as well is no article here, because its posts are beside each other.

    Args:
        likely: Probability above which a page is of a type.
    """
    cdef Py_ssize_t size = len(log_odds), segment
    cdef bint is_article = page_type.article > likely and not page_type.forum > likely
    cdef bint is_documentation = page_type.documentation > likely
    cdef const double *content = <const double *>items(log_odds, 8)
    cdef const double *inside = <const double *>items(columns[names.IN_BEST_CONTAINER], 8)
    cdef const double *usual = <const double *>items(columns[names.USUAL_BEST_CONTAINER], 8)
    cdef const double *recurs = <const double *>items(columns[names.RECURS], 8)
    result = np.zeros(size, np.bool_)
    cdef uint8_t *left_out = <uint8_t *>items(result, 1, True)
    for segment in range(size):
        left_out[segment] = content[segment] < 0 and (
            is_article
            or (is_documentation and inside[segment] < 0 and usual[segment] < 0 and recurs[segment] > 0)
        )
    return result
