import numpy as np

from templ_core.page_level.smoothing.thinned_tree import leave_out

PARENT = np.array([-1, 0, 1, 1, 0, 4], np.int32)


def test_children_of_nodes_left_out_move_up():
    tree = leave_out(PARENT, np.array([True, True, False, False, False, True]))
    assert tree.kept.tolist() == [0, 2, 3, 4]
    assert tree.parent.tolist() == [-1, 0, 0, 0]
    assert tree.stands_for.tolist() == [0, 0, 1, 2, 3, 3]
