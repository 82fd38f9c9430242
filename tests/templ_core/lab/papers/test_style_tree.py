from templ_core.dom.document import parse_document
from templ_core.lab.papers.style_tree import is_style_noise, learn_style_tree


def page(story, menu="<li>Home<li>About us", notice="Mind the gap"):
    return parse_document(f"<ul>{menu}</ul><p>{story}</p><p>{notice}", "http://a.example/")


STORIES = ["Otters swim", "Owls sleep", "Bees dance", "Ants march"]
TREE = learn_style_tree([page(story) for story in STORIES])


def test_what_all_pages_have_at_a_place_is_noise():
    assert is_style_noise(page("Foxes run"), TREE).tolist() == [True, True, False, True]


def test_places_that_no_page_had_are_kept():
    other = page("Foxes run", menu="<li>Home<li>About us<li>Shop")
    assert is_style_noise(other, TREE).tolist() == [False, False, False, False, True]


def test_a_place_of_one_page_alone_is_kept():
    tree = learn_style_tree([page("Otters swim")])
    assert not is_style_noise(page("Otters swim"), tree).any()


def test_the_bound_decides_about_places_that_differ_on_some_pages():
    tree = learn_style_tree(
        [
            page(story, notice="Mind the" + " gap" * (place > 0))
            for place, story in enumerate(STORIES)
        ]
    )
    document = page("Foxes run")
    assert is_style_noise(document, tree).tolist()[-1]
    assert not is_style_noise(document, tree, 0.05).tolist()[-1]
