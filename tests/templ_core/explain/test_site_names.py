from templ_core.explain.site_names import SiteNames, read_names
from tests.templ_core.site_level.builders import site_model
from tests.templ_core.site_level.repeating_site import page


def test_all_names_are_found_on_the_pages_that_a_model_was_learned_from():
    documents = [page(number) for number in range(30)]
    model = site_model(documents)
    names = read_names(documents, model)
    [cluster] = model.trees.clusters
    tree = cluster.reference.tree
    tags = [
        names.labels[label]
        for label, is_text in zip(tree.label.tolist(), tree.is_text, strict=True)
        if not is_text
    ]
    assert tags[:3] == ["html", "body", "nav"]
    texts = {names.labels[label] for label in tree.label[tree.is_text].tolist()}
    assert {"Home All the news", "All rights reserved"} <= texts
    assert any(path.startswith("article") for path in names.containers.values())


def test_nothing_is_named_without_pages():
    model = site_model([page(number) for number in range(12)])
    names = read_names([], model)
    assert names == SiteNames(labels={}, containers={})
