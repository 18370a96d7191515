"""What the whole page weighs on its way to a browser: every file that the command serves, compressed as it serves it."""

import gzip
import re
import urllib.error
import urllib.request
from urllib.parse import urljoin

# Files name each other by quoted paths: src, href, import and fonts alike.
NAMED = re.compile(r"""["'(]((?:[\w./-]+/)?[\w.-]+\.(?:js|css|svg|woff2?|wasm))["')]""")


def fetch(address: str) -> tuple[str, int]:
    """The text of a file and the bytes that travelled for it."""
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Accept-Encoding": "gzip"}), timeout=60) as answer:
        body = answer.read()
        packed = answer.headers.get("Content-Encoding") == "gzip"
    return (gzip.decompress(body) if packed else body).decode(errors="replace"), len(body) if packed else len(gzip.compress(body, 9))


def served_files(address: str) -> dict[str, int]:
    """Address -> bytes of every file that can be reached from the page at `address`."""
    waiting, tried, found = [address], {address}, {}
    while waiting:
        at = waiting.pop()
        try:
            text, found[at] = fetch(at)
        except urllib.error.HTTPError:
            continue  # a name in a text that is no file
        for name in NAMED.findall(text):
            for other in (urljoin(at, name), urljoin(address, name)):  # workers are named from the page on
                if other.startswith(address) and other not in tried:
                    tried.add(other)
                    waiting.append(other)
    return found
