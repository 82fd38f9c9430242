"""Ends with exit code 1 when a process of the worker in this container does not answer `/live`."""

import os
import sys
import urllib.request

for port in (cleaner := int(os.environ["TEMPL_METRICS_PORT"]), cleaner + 1):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/live", timeout=8).close()
    except OSError as error:
        sys.exit(f"port {port}: {error}")
