"""The faults of a cluster of three brokers."""

import asyncio
import time

from schemas.topics import DOCUMENTS, PAGES, TOPICS
from tests.faults.disturber import Disturber
from tests.faults.log_files import records_of
from tests.kafka.cluster import COUNT
from tests.kafka.stream import PARTITIONS

OF_WORKERS = (
    *("kill a worker", "kill a process", "stop a worker", "rebalance", "pause a worker"),
    "lose a state directory",
)
"""Faults that happen to workers, while the brokers are whole."""
PAUSE_S = 8.0
"""How long a paused broker is paused; its session ends before."""
NO_QUORUM_S = (3.0, 8.0)
"""How long two of three brokers are away, at least and at most."""
DISK_FULL_S = 60.0
"""Longest time for a broker to end whose disk is full."""
ALONE_S = 5.0
"""How long a leader without followers takes records that an unclean election loses."""


class ClusterDisturber(Disturber):
    """Does to a stream what a machine room with three brokers does."""

    feeds_meanwhile = True

    def __init__(self, cluster, stream, seed, kinds=(), watchers=()):
        super().__init__(cluster, stream, seed, kinds, watchers)
        self._cluster = cluster
        self._replaced = None
        self._faults = {name: self._faults[name] for name in OF_WORKERS} | {
            "kill a broker": self._kill_broker,
            "restart a broker": self._restart_broker,
            "pause a broker": self._pause_broker,
            "controller gone": lambda: self._kill_broker(self._cluster.controller()),
            "rolling restart": self._rolling_restart,
            "two brokers away": self._two_brokers_away,
            "no power": self._no_power,
            "leaders moved": self._move_leaders,
            "another broker": self._another_broker,
            "unclean election of pages": lambda: self._unclean_election(PAGES),
            "unclean election of documents": lambda: self._unclean_election(DOCUMENTS),
        }
        if cluster.has_disk:
            self._faults["disk of a broker full"] = self._disk_of_broker_full

    def one_fault(self, number, next_pages, sent_pages):
        """Do the next fault, and wait until all brokers have all records again."""
        name, _ = super().one_fault(number, next_pages, sent_pages)
        self._cluster.wait_until_whole()
        return name, time.monotonic()

    def _node(self):
        return self._rng.choice(list(self._cluster.nodes))

    def _kill_broker(self, node=None):
        node = node or self._node()
        self._cluster.nodes[node].kill()
        self._pause()
        self._cluster.start_nodes(node)

    def _restart_broker(self, node=None):
        node = node or self._node()
        self._cluster.nodes[node].stop()
        self._cluster.start_nodes(node)

    def _pause_broker(self):
        with self._cluster.paused(self._node()):
            time.sleep(PAUSE_S)

    def _rolling_restart(self):
        for node in self._cluster.nodes:
            self._restart_broker(node)
            self._cluster.wait_until_whole()

    def _two_brokers_away(self):
        """Leave one broker, which can neither elect a controller nor take a record."""
        away = self._rng.sample(range(1, COUNT + 1), 2)
        for node in away:
            self._cluster.nodes[node].kill()
        time.sleep(self._rng.uniform(*NO_QUORUM_S))
        self._cluster.start_nodes(*away)

    def _no_power(self):
        self._cluster.stop()
        self._pause()
        self._cluster.start_nodes(*self._cluster.nodes)

    def _move_leaders(self):
        """Have each partition led by the next of its brokers, those of offsets, too."""
        moved = {
            place: [*replicas[1:], replicas[0]]
            for place, (_, replicas, _) in self._cluster.wait_until_whole().items()
        }
        self._cluster.assign(moved)

    def _another_broker(self):
        """Have a fourth broker take the place of one of the three, or give it back."""
        known = self._cluster.wait_until_whole()
        if self._replaced is None:
            leaving = self._replaced = self._rng.randint(1, COUNT)
            coming = self._cluster.add_node()
        else:
            leaving, coming, self._replaced = COUNT + 1, self._replaced, None
        self._cluster.assign(
            {
                place: [coming if one == leaving else one for one in replicas]
                for place, (_, replicas, _) in known.items()
            }
        )
        if self._replaced is None:
            self._cluster.nodes.pop(leaving).stop()

    def _disk_of_broker_full(self):
        """Leave no byte free on the disk of a broker, which ends, and comes back to a disk with room."""
        self._fill(self._cluster.disk, lambda: self._wait_for_end(COUNT))
        self._cluster.start_nodes(COUNT)

    def _wait_for_end(self, node):
        until = time.monotonic() + DISK_FULL_S
        while self._cluster.nodes[node].running and time.monotonic() < until:
            time.sleep(0.2)

    def _unclean_election(self, topic):
        """Have a partition led by a broker that lacks its newest records, as its owner allows on purpose.

        The leader is left alone by its only follower, takes records, and is away when the follower comes back.
        """
        cluster, name = self._cluster, self._stream.prefix + topic
        place = name, self._rng.randrange(PARTITIONS)
        before = cluster.wait_until_whole()[place][1]
        follower, leader = self._rng.sample(range(1, COUNT + 1), 2)
        allowed = {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}
        asyncio.run(self._stream.configure(TOPICS[topic].config() | allowed, topic))
        cluster.assign({place: [leader, follower]})
        cluster.nodes[follower].kill()
        cluster.wait_until(lambda known: known[place][2] == [leader])
        time.sleep(ALONE_S)
        cluster.nodes[leader].kill()
        folders = [
            cluster.nodes[node].data / "log" / f"{name}-{place[1]}" for node in (leader, follower)
        ]
        cluster.start_nodes(follower)
        cluster.wait_until(lambda known: known[place][0] == follower)
        self._note_lost(place, *map(records_of, folders))
        cluster.start_nodes(leader)
        cluster.wait_until_whole()
        asyncio.run(self._stream.configure(TOPICS[topic].config(), topic))
        cluster.assign({place: before})

    def _note_lost(self, place, had, have):
        kept = {(one.offset, one.key, one.value) for one in have}
        for record in had:
            if (record.offset, record.key, record.value) in kept:
                continue
            if place[0].endswith(PAGES):
                self.ledger.lose_page(*place, record)
            else:
                self.ledger.lose_document(record)
