"""Names of a megabyte through the routes of the page: lists show their beginning, the whole is told when it is asked for."""

import json
import os
import subprocess
import urllib.parse
import urllib.request

import pytest
from conftest import BUILD

NAMES = {letter: "start of all " + letter * 1_000_000 for letter in "abc"}


@pytest.fixture
def ask(tmp_path):
    trace = tmp_path / "long.json"
    events = [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 100 * at, "dur": 50 + at} for at, name in enumerate(NAMES.values())]
    trace.write_text(json.dumps(events))
    server = subprocess.Popen([BUILD / "bin" / "taffrail", "ui", trace, "--port", "0", "--no-open", "--json", "--state-dir", tmp_path / "state"],
                              stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    try:
        address = json.loads(server.stdout.readline())["address"].split("#")[0]

        def answer(route, **parameters):
            query = urllib.parse.urlencode({"name": "0 long.json", **parameters})
            return urllib.request.urlopen(f"{address}api/v1/{route}?{query}", timeout=60).read()

        while json.loads(answer("profile"))["state"] == "working":
            pass
        yield answer
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


@pytest.mark.parametrize("route, rows, more", [("profile:search", "names", {"words": "START OF"}), ("profile:functions", "rows", {})])
def test_lists_show_the_beginning_and_the_whole_is_there_to_ask_for(ask, route, rows, more):
    answer = ask(route, **more)
    assert len(answer) < 10_000
    found = json.loads(answer)[rows]
    assert len(found) == len(NAMES)
    assert len({row["cut"] for row in found}) == len(NAMES)
    for row in found:
        whole = json.loads(ask("profile:name", id=row["id"]))["name"]
        assert whole in NAMES.values() and whole.startswith(row["name"])
        assert len(row["name"]) == 1000


def test_a_slice_tells_its_whole_name(ask):
    found = json.loads(ask("profile:search", words="start", at=-1))
    assert json.loads(ask("profile:slice", id=found["next"]["id"]))["name"] == NAMES["a"]
