"""A cluster of Kafka brokers on this machine; each is a controller, too, and holds a copy of everything."""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from aiokafka.errors import KafkaError
from aiokafka.protocol.admin import AlterPartitionReassignmentsRequest

from tests.kafka.broker import JAVA_OPTIONS, ask, prepare, runner

COUNT = 3
HEAP_MIB = 192
WAIT_S = 180
CHECK_S = 0.3
REQUEST_MS = 30_000
DISK = "700m"
"""Size of the disk of the last broker, where one can be mounted."""
SETTINGS = """\
node.id={node}
process.roles={roles}
controller.quorum.voters={voters}
listeners=PLAINTEXT://127.0.0.1:$port{listener}
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
leader.imbalance.check.interval.seconds=2
controlled.shutdown.retry.backoff.ms=500
"""


class Cluster:
    """Three brokers, numbered from 1, and a fourth that may join them; a `Stream` takes it for its broker."""

    def __init__(self, directory):
        """Choose ports without starting anything."""
        self._directory = directory
        self._id = runner.new_cluster_id()
        self._voters = ""
        self.has_disk = False
        self.nodes = {}
        for node in range(1, COUNT + 1):
            self.nodes[node] = self._broker(node, "broker,controller")
        self._voters = ",".join(
            f"{node}@{runner.HOST}:{one.controller_port}" for node, one in self.nodes.items()
        )
        for node, broker in self.nodes.items():
            broker._more_settings = self._settings(node, "broker,controller")

    def _broker(self, node, roles):
        return runner.Broker(
            self._directory / f"kafka-{node}",
            more_settings=self._settings(node, roles),
            java_options=(*JAVA_OPTIONS, f"-Xmx{HEAP_MIB}m"),
            cluster_id=self._id,
        )

    def _settings(self, node, roles):
        listener = ",CONTROLLER://127.0.0.1:$controller_port" if "controller" in roles else ""
        return SETTINGS.format(node=node, roles=roles, voters=self._voters, listener=listener)

    @property
    def address(self):
        """What clients connect to."""
        return ",".join(self.nodes[node].address for node in range(1, COUNT + 1))

    def start(self):
        """Start the brokers; the last one is on a disk of its own, if one may be mounted."""
        prepare()
        self.disk = self.nodes[COUNT].data / "log"
        self.disk.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "templ-faults", self.disk]
        self.has_disk = not subprocess.run(command, check=False, capture_output=True).returncode
        self.start_nodes(*self.nodes)
        self.wait_until_whole()

    def unmount(self):
        """Give the disk back."""
        if self.has_disk:
            subprocess.run(["umount", "-l", self.disk], check=False)

    def stop(self):
        """End all brokers at once, as a machine room without power does."""
        for broker in self.nodes.values():
            broker.kill()

    def start_nodes(self, *numbers):
        """Start brokers that have ended, also by themselves; together, because none would answer alone."""
        for node in numbers:
            self.nodes[node].kill()
        with ThreadPoolExecutor(len(numbers)) as threads:
            list(threads.map(lambda node: self.nodes[node].start(), numbers))

    def add_node(self):
        """Start one more broker, which is no controller; return its number."""
        node = COUNT + 1
        if node not in self.nodes:
            self.nodes[node] = self._broker(node, "broker")
        self.start_nodes(node)
        return node

    @contextmanager
    def paused(self, node):
        """Stop a broker meanwhile, as a virtual machine that is moved does."""
        pid = self.nodes[node]._process.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def controller(self):
        """The number of the broker that is the active controller, as those that run have noted it."""
        noted = []
        for node in range(1, COUNT + 1):
            file = self.nodes[node].data / "log" / "__cluster_metadata-0" / "quorum-state"
            if self.nodes[node].running and file.exists():
                state = json.loads(file.read_text())
                noted.append((state["leaderEpoch"], state["leaderId"]))
        return max(noted)[1]

    def ask(self, question):
        """What an admin client answers."""
        return asyncio.run(ask(self.address, question))

    def partitions(self):
        """(topic, partition) -> its leader, replicas and those in sync; those of all topics."""
        topics = self.ask(lambda admin: admin.describe_topics())
        return {
            (topic["topic"], one["partition"]): (one["leader"], one["replicas"], one["isr"])
            for topic in topics
            for one in topic["partitions"]
        }

    def wait_until(self, is_reached):
        """Wait until what is known of the partitions satisfies a condition."""
        until = time.monotonic() + WAIT_S
        while True:
            known = {}
            try:
                known = self.partitions()
                if is_reached(known):
                    return known
            except (KafkaError, OSError):
                pass  # brokers start
            assert time.monotonic() < until, f"the cluster does not become whole: {known}"
            time.sleep(CHECK_S)

    def wait_until_whole(self):
        """Wait until every partition has a leader, and all of its replicas are in sync."""
        return self.wait_until(
            lambda known: all(
                leader in replicas and set(isr) == set(replicas)
                for leader, replicas, isr in known.values()
            )
        )

    def assign(self, replicas_of):
        """Give partitions these replicas, the first as leader, and wait until it leads."""
        by_topic = defaultdict(list)
        for (topic, partition), replicas in replicas_of.items():
            by_topic[topic].append((partition, replicas, {}))
        topics = [(topic, partitions, {}) for topic, partitions in by_topic.items()]
        request = AlterPartitionReassignmentsRequest(REQUEST_MS, topics, {})
        response = self.ask(lambda admin: admin._send_request(request))
        assert response.error_code == 0, response
        wanted = {place: (one[0], one, sorted(one)) for place, one in replicas_of.items()}
        self.wait_until(
            lambda known: all(
                (leader, replicas, sorted(isr)) == wanted[place]
                for place, (leader, replicas, isr) in known.items()
                if place in wanted
            )
        )


@contextmanager
def own_cluster(directory):
    """Yield a cluster that runs; it is stopped at the end."""
    cluster = Cluster(directory)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        cluster.unmount()
