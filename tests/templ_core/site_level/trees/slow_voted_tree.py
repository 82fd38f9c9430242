"""An obvious voted tree: a list of nodes, each with a dictionary of its texts."""

import numpy as np

from templ_core.site_level.trees.labelled_tree import build_tree
from templ_core.site_level.trees.tree_mapping import map_trees


class Node:
    def __init__(self, label, depth, segment):
        self.label, self.depth, self.segment = label, depth, segment
        self.support = 0
        self.texts = {}

    def vote(self, text):
        self.support += 1
        if text is not None:
            self.texts[text] = self.texts.get(text, 0) + 1
            self.label = min(self.texts, key=lambda one: (-self.texts[one], one))


class SlowVotedTree:
    def __init__(self):
        self.nodes = []

    def tree(self):
        return build_tree(
            label=np.array([node.label for node in self.nodes], np.uint64),
            depth=np.array([node.depth for node in self.nodes], np.int32),
            segment=np.array([node.segment for node in self.nodes], np.int32),
        )

    def add(self, page, nodes_max):
        tree, mapping, nodes = self.tree(), map_trees(self.tree(), page), []
        late = {}

        def add_new(new):
            node = Node(int(page.label[new]), int(page.depth[new]), int(page.segment[new]))
            take(node, new)

        def take(node, new):
            text = int(page.label[new]) if page.segment[new] >= 0 else None
            node.vote(text)
            nodes.append(node)

        for row, (old, new) in enumerate(
            zip(mapping.left.tolist(), mapping.right.tolist(), strict=True)
        ):
            if row in late:
                add_new(late.pop(row))
            if old < 0:
                add_new(new)
                continue
            node = self.nodes[old]
            both_text = node.segment >= 0 and new >= 0 and page.segment[new] >= 0
            if new < 0:
                nodes.append(node)
            elif node.label == page.label[new] or both_text:
                take(node, new)
            else:
                nodes.append(node)
                late[row + int(tree.end[old]) - old] = new
        for new in late.values():
            add_new(new)
        if len(nodes) > nodes_max:
            best = sorted(range(len(nodes)), key=lambda number: -nodes[number].support)[:nodes_max]
            nodes = [nodes[number] for number in sorted(best)]
        self.nodes = nodes
