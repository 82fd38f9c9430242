"""The cut with the best expected F1, see `templ_core.page_level.expected_f1`."""


def best_prefix(
    const Py_ssize_t[::1] order,
    const double[::1] content,
    const double[::1] words,
    double recall_share,
):
    """How many segments of `order` to keep, and the F1 to expect."""
    cdef Py_ssize_t place, best = 0
    cdef double mass = 0, kept_mass = 0, kept_words = 0, expected, highest = -1
    for place in range(content.shape[0]):
        mass += content[place] * words[place]
    for place in range(order.shape[0]):
        kept_mass += content[order[place]] * words[order[place]]
        kept_words += words[order[place]]
        expected = 2 * kept_mass / (kept_words + recall_share * mass + 1e-9)
        if expected > highest:
            highest, best = expected, place + 1
    return best, highest
