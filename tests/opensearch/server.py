"""A real OpenSearch server of one node, from the jars on Maven Central."""

import re
import time
import urllib.request
from pathlib import Path

from tests.kafka.broker import runner

HERE = Path(__file__).parent
POM = HERE / "pom.xml"
CACHE = runner.CACHE.parent / "opensearch"
START_S = 180
_HEAP = "384m"


def version():
    return re.search(r"<opensearch\.version>([^<]+)<", POM.read_text())[1]


class Server:
    """A node that is running; it ends together with this process."""

    def __init__(self, data):
        jars = runner.fetch_jars(POM, CACHE / version())
        self.port = runner.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        data.mkdir(parents=True, exist_ok=True)
        self._log = data / "opensearch.log"
        java = [runner.tool("java"), f"-Xmx{_HEAP}", "-XX:TieredStopAtLevel=1"]
        java += ["-cp", f"{jars}/*"]
        java += [str(HERE / "SmallOpenSearch.java"), str(self.port), str(data / "node")]
        self._process = runner.spawn_tied(java, self._log)
        until = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                self.stop()
                raise runner.BrokerError(
                    f"OpenSearch did not start: {self._log.read_text()[-2000:]}"
                )
            time.sleep(0.1)

    def _answers(self):
        try:
            with urllib.request.urlopen(self.url, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self):
        self._process.kill()
        self._process.wait()
