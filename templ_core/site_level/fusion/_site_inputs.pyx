"""Columns of one value for each segment from those of places, boxes and trees; see site_inputs.py."""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from templ_core._arrays cimport items


cdef inline double within(double value, double low, double high) noexcept:
    return min(max(value, low), high)


def combine(
    page, place, near, best_share, steps, below, labels, path_pages, constant, text_pages,
    shape_pages, words, place_share, change,
    *, double documentation, double usual, double certain, int64_t pages, int64_t cluster_pages,
    double margin, int32_t long_words, double doubt, double open_above, double open_below,
):
    """Columns in the order of site_inputs.py, and which segments are open to phrases.

    Args:
        page: Log-odds by the page model.
        place: Log-odds by the place.
        near: Content around it, 0 to 1.
        best_share: How usual the most usual best box around it is.
        steps: To the best box.
        below: Whether it is below the headline, 0 or 1.
        labels: Whether it labels a record: its text stands more than once at its path.
        path_pages: Pages that have its path.
        constant: Whether it is constant text at a constant place.
        text_pages: Pages that have its text.
        shape_pages: Pages that have its shape.
        words: Of the segment.
        place_share: Share of the kind's pages with a text at its place in the tree.
        change: Texts over pages there.
        documentation: How likely the page is documentation, 0 to 1: labels are meant to be
            repeated there, and so is what seems content where content usually is.
        usual: A box is usual if it is at most so much less usual than the page's most usual one.
        certain: Above these log-odds by the page model the box need not be the best one.
        pages: Of the site.
        cluster_pages: Of the kind.
        margin: Probabilities are kept this far from 0 and 1.
        long_words: More words count as so many.
        doubt: Pages that halve what the shape of a long text says.
        open_above: A segment is open where page or place is above this ...
        open_below: ... and page or place below this.
    """
    cdef Py_ssize_t count = len(page), segment
    cdef const double *page_log_odds = <const double *>items(page, 8)
    cdef const double *place_log_odds = <const double *>items(place, 8)
    cdef const double *around = <const double *>items(near, 8)
    cdef const double *best = <const double *>items(best_share, 8)
    cdef const double *step = <const double *>items(steps, 8)
    cdef const double *in_head = <const double *>items(below, 8)
    cdef const int64_t *on_pages = <const int64_t *>items(path_pages, 8)
    cdef const uint8_t *is_label = <const uint8_t *>items(labels, 1)
    cdef const uint8_t *fixed = <const uint8_t *>items(constant, 1)
    cdef const int64_t *text = <const int64_t *>items(text_pages, 8)
    cdef const int64_t *shape = <const int64_t *>items(shape_pages, 8)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef const double *in_tree = <const double *>items(place_share, 8)
    cdef const double *changes = <const double *>items(change, 8)
    columns, opens = np.empty((11, count)), np.empty(count, np.bool_)
    cdef double *column = <double *>items(columns, 8, True)
    cdef uint8_t *is_open = <uint8_t *>items(opens, 1, True)
    cdef double sure = log((1 - margin) / margin), most = 0, long, high, low
    cdef double mass, meant, known = 0, all = 0
    for segment in range(count):
        most = max(most, best[segment])
        mass = length[segment] / (1 + exp(-page_log_odds[segment]))
        all += mass
        if on_pages[segment] > 0:
            known += mass
    for segment in range(count):
        long = log(<double>min(length[segment], long_words))
        high = max(page_log_odds[segment], place_log_odds[segment])
        low = min(page_log_odds[segment], place_log_odds[segment])
        is_open[segment] = (
            high > open_above and low < open_below and in_head[segment] == 0
            and (length[segment] <= long_words or shape[segment] > 1)
        )
        column[segment] = within(page_log_odds[segment], -sure, sure)
        high = within(around[segment], margin, 1 - margin)
        column[count + segment] = log(high / (1 - high))
        column[2 * count + segment] = best[segment] - most
        meant = 0
        if is_label[segment] or best[segment] - most > usual and (
            page_log_odds[segment] > certain or page_log_odds[segment] > 0 and step[segment] == 0
        ):
            meant = documentation
        column[3 * count + segment] = 0.5 if step[segment] == 0 else -0.5
        column[4 * count + segment] = place_log_odds[segment] + (
            meant * fixed[segment] * max(page_log_odds[segment] - place_log_odds[segment], 0.0)
        )
        high = (1 - meant) * shape[segment] / <double>max(pages, 1)
        column[5 * count + segment] = high
        column[6 * count + segment] = pages / (pages + doubt) * high * long
        column[7 * count + segment] = (
            (1 - meant)
            * in_tree[segment] * (1 - changes[segment]) * cluster_pages / (cluster_pages + 1)
        )
        column[8 * count + segment] = 1 if max(text[segment], shape[segment]) > 1 else known / all
        column[9 * count + segment] = long
        column[10 * count + segment] = text[segment] > 1
    return columns, opens
