from templ_core.lab.evaluation.segmentation import block_of_each


def test_each_segment_is_assigned_to_the_block_that_contains_it():
    blocks = ["Home About", "The story begins here.", "Home About"]
    segments = ["Home", "About", "The story", "begins here", "Home About"]
    assert block_of_each(segments, blocks).tolist() == [0, 0, 1, 1, 2]


def test_words_that_one_side_lacks_are_ignored():
    assert block_of_each(["new words", "kept here"], ["kept here too"]).tolist() == [-1, 0]
    assert block_of_each(["some"], []).tolist() == [-1]
