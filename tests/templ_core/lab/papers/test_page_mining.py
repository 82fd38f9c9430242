import numpy as np

from templ_core.lab.papers.rtdm import classify, cluster_f

CLASSES = ["pets", "pets", "stars", "stars"] * 3
TEXTS = [
    f"{subject} {subject} {number}"
    for number, subject in enumerate(["cat dog", "dog cow", "moon sun", "sun mars"] * 3)
]
SITES = [f"site{number // 4}" for number in range(12)]
MENUS = ["home shop cart help " * 20, "news mail about login " * 20, "index next prior top " * 20]


def with_menus():
    return [f"{text} {MENUS[number // 4]}" for number, text in enumerate(TEXTS)]


def test_clustering_finds_classes_with_different_words():
    fs = cluster_f(TEXTS, CLASSES, range(20))
    assert fs.max() == 1.0
    assert ((fs > 0.4) & (fs <= 1.0)).all()
    np.testing.assert_array_equal(fs, cluster_f(TEXTS, CLASSES, range(20)))


def test_menus_harm_clustering():
    assert (
        cluster_f(with_menus(), CLASSES, range(20)).mean()
        < cluster_f(TEXTS, CLASSES, range(20)).mean()
    )


def test_classification_without_templates_is_perfect():
    scores = classify(TEXTS, CLASSES, SITES)
    assert set(scores) == {(number, "pets", "stars") for number in (1, 2, 3)}
    assert all(one.f == one.accuracy == 1.0 for one in scores.values())


def test_the_classifier_learns_menus_if_each_class_is_from_another_site():
    scores = classify(with_menus(), CLASSES, SITES)
    assert scores[1, "pets", "stars"].f == 1.0
    assert scores[3, "pets", "stars"].accuracy < 0.7


def test_configurations_without_test_pages_of_both_classes_are_left_out():
    scores = classify(TEXTS[:6], CLASSES[:6], SITES[:6])
    assert (1, "pets", "stars") not in scores
