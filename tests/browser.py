"""Headless Chromium: what it measures on a page, and pictures of a page."""

import html
import json
import re
import shutil
import struct
import subprocess
import zlib

import numpy as np
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs headless Chromium")
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_FOUND = re.compile(r'<pre id="templ-found">(.*?)</pre>', re.DOTALL)


def measured(page, width_px, script, folder):
    """Return what the body of a function in JavaScript returns on a page in a window of a width.

    The page may run nothing by its own policy, so a copy without the policy is opened in a frame.
    """
    write = (
        f"<script>const found = JSON.stringify((() => {{{script}}})());"
        "const out = parent.document.createElement('pre'); out.id = 'templ-found';"
        "out.textContent = found; parent.document.body.append(out);</script>"
    )
    inside = _POLICY.sub("", page).replace("</body>", f"{write}</body>")
    around = folder / f"{width_px}.html"
    # A window is at least 500 px wide, a frame in it as wide as it is asked to be.
    around.write_text(
        f'<!DOCTYPE html><body><iframe style="border:0" width="{width_px}" height="800" '
        f'srcdoc="{html.escape(inside)}"></iframe></body>'
    )
    dump = _run(around, folder, "--window-size=1300,900", "--dump-dom")
    match = _FOUND.search(dump)
    assert match, dump[-2000:]
    return json.loads(html.unescape(match[1]))


def _run(page, folder, *options):
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile", *options,
        page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout


def read_png(body):
    """Return the pixels of a PNG of 8 bits a colour, without interlacing: an array of height, width, 3."""
    at, head, packed = 8, b"", b""
    while at < len(body):
        size, kind = int.from_bytes(body[at : at + 4], "big"), body[at + 4 : at + 8]
        part = body[at + 8 : at + 8 + size]
        head, packed = (part if kind == b"IHDR" else head), packed + part * (kind == b"IDAT")
        at += 12 + size
    width, height, _, colours = struct.unpack(">IIBB", head[:10])
    channels = {2: 3, 6: 4}[colours]
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    above = np.zeros((width, channels), np.int64)
    pixels = np.empty((height, width, channels), np.uint8)
    for number, row in enumerate(rows):
        above = _unfiltered(int(row[0]), row[1:].reshape(width, channels).astype(np.int64), above)
        pixels[number] = above
    return pixels[:, :, :3]


def _unfiltered(form, row, above):
    """Return a row of pixels as it was before PNG's filter of a number, 0 to 4."""
    if form in {0, 2}:
        return (row + above * (form == 2)) % 256
    if form == 1:
        return np.cumsum(row, axis=0) % 256
    left, corner = np.zeros(row.shape[1], np.int64), np.zeros(row.shape[1], np.int64)
    result = np.empty_like(row)
    for column, value in enumerate(row):
        up = above[column]
        if form == 3:
            guess = (left + up) // 2
        else:
            rise = left + up - corner
            near = np.abs(rise - left), np.abs(rise - up), np.abs(rise - corner)
            guess = np.where(
                (near[0] <= near[1]) & (near[0] <= near[2]),
                left,
                np.where(near[1] <= near[2], up, corner),
            )
        left, corner = (value + guess) % 256, up
        result[column] = left
    return result
