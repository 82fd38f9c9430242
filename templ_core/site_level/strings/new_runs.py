"""What is remembered of a page's prose that its site's model does not know, to notice what the site begins to repeat."""

from templ_core.array_types import Bools, Floats
from templ_core.page_level.features.characters import Words
from templ_core.site_level.config import NEW_TEXT_CONFIG, STRINGS_CONFIG
from templ_core.site_level.strings._strings import uncovered_runs
from templ_core.site_level.strings.string_evidence import PageProse


def new_runs(words: Words, prose: PageProse, content_log_odds: Floats, is_covered: Bools) -> bytes:
    """Return what is remembered of a page's prose that its site's model does not know.

    It is the hashes of sampled runs of words, two bytes each, ascending and each once. The same runs are sampled on
    every page, so a text that pages share has the same ones wherever it stands.

    Args:
        words: The words of the page.
        prose: Which of them are prose, and their tokens.
        content_log_odds: Log-odds for content by the page model; length n_segments. Only text that strings are learned
            from counts.
        is_covered: Which words strings of the site cover; length n_words.
    """
    wanted = prose.is_prose & (content_log_odds > STRINGS_CONFIG.log_odds_min)
    runs = uncovered_runs(
        prose.tokens,
        words.segment,
        wanted,
        is_covered,
        NEW_TEXT_CONFIG.run_words,
        NEW_TEXT_CONFIG.runs_per_key,
    )
    return runs[: NEW_TEXT_CONFIG.keys_max].tobytes()
