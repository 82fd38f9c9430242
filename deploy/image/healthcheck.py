"""End with exit code 1 when a process of the worker in this container does not answer `/live`."""

import os
import sys
import urllib.request

cleaner_port = int(os.environ["TEMPL_METRICS_PORT"])  # noqa: TID251 - it is no part of the package
for port in (cleaner_port, cleaner_port + 1):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/live", timeout=8).close()
    except OSError as error:
        sys.exit(f"port {port}: {error}")
