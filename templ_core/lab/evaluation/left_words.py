"""How much of a text that was put into a page is left in its cleaned text."""

from templ_core.lab.evaluation.words import word_list

RUN_WORDS = 4
"""Words of the shortest run that counts as left; single words of a page's language recur anyway."""


def words_left(text: str, cleaned: str) -> int:
    """Return how many words of a text stand in a run of RUN_WORDS words that a cleaned text has, too.

    >>> words_left("one two three four five", "zero one two three four six")
    4

    Args:
        text: What was put into the page.
        cleaned: The cleaned text of the page.
    """
    words, others = word_list(text), word_list(cleaned)
    runs = {tuple(others[at : at + RUN_WORDS]) for at in range(len(others) - RUN_WORDS + 1)}
    left: set[int] = set()
    for at in range(len(words) - RUN_WORDS + 1):
        if tuple(words[at : at + RUN_WORDS]) in runs:
            left.update(range(at, at + RUN_WORDS))
    return len(left)
