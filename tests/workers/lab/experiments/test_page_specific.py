import numpy as np

from workers.lab.experiments.page_specific import LabelledTexts, specific_words


def page(*segments):
    text, words, is_template, is_kept = zip(*segments, strict=True)
    return LabelledTexts(
        text=np.array(text, np.uint64),
        words=np.array(words, float),
        is_template=np.array(is_template),
        is_kept=np.array(is_kept),
    )


def test_only_text_of_one_page_counts():
    menu = (1, 3, True, False)
    first = page(menu, (2, 5, True, False), (3, 50, False, True))
    second = page(menu, (4, 7, True, True), (5, 40, False, False))
    found = specific_words([first, second])
    assert (found.template, found.template_removed) == (12, 5)
    assert (found.content, found.content_kept) == (90, 50)
    assert found.all_template == 18
