"""The HTTP API: against its published schema, against Python's own arithmetic, and against hostile requests."""

import csv
import io
import json
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlparse

import numpy
import pytest
import requests

from conftest import TAFFRAIL, Ui

ROOT = Path(__file__).resolve().parents[3]


def post(ui, path, **body):
    return requests.post(ui.api + path, json=body, timeout=20)


def frames(content):
    """Decodes a reply of series:query by its description, not by our code."""
    found, at = [], 0
    while at < len(content):
        assert content[at : at + 4] == b"TFS1"
        header_size, body_size = struct.unpack_from("<IQ", content, at + 4)
        header = json.loads(content[at + 16 : at + 16 + header_size])
        body = content[at + 16 + header_size : at + 16 + header_size + body_size]
        types = {"f64": "<f8", "f32": "<f4", "u32": "<u4", "u8": "u1", "q16": "<u2"}
        arrays = {field["name"]: numpy.frombuffer(body, types[field["type"]], field["length"], field["offset"]) for field in header["fields"]}
        found.append((header, arrays))
        at += 16 + header_size + body_size
    return found


@pytest.fixture(scope="module")
def ids(ui):
    """Runs that were resumed come last: their overwritten points are in the export and not in a chart."""
    runs = post(ui, "runs:query").json()["runs"]
    return [run for _, run in sorted(zip(runs["attempts"], runs["id"]), key=lambda pair: pair[0])]


@pytest.fixture(scope="module")
def points(runs):
    """Every scalar point, from the command line's export."""
    text = subprocess.run([TAFFRAIL, "export", runs, "--format", "jsonl"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        row = json.loads(line)
        if row["kind"] == "scalar":
            found.setdefault((row["run"], row["key"]), []).append((row["step"], float(row["value"]) if not isinstance(row["value"], str) else float(row["value"].replace("Infinity", "inf"))))
    return found


def test_the_served_schema_is_the_published_one_and_every_path_answers(ui):
    served = requests.get(ui.api + "openapi.json", timeout=60).json()
    assert served == json.loads((ROOT / "docs/api/schema.json").read_text())
    for path, methods in served["paths"].items():
        for method in methods:
            if path == "/events":
                continue
            answer = requests.request(method, ui.api + path[1:], json={} if method == "post" else None, timeout=60)
            assert answer.status_code in (200, 400, 404), (method, path, answer.status_code)
        wrong = "delete" if "delete" not in methods else "put"
        assert requests.request(wrong, ui.api + path[1:], timeout=60).status_code == 405, path


def test_bins_equal_numpy_on_their_own_edges(ui, ids, points):
    random = numpy.random.default_rng(5)
    keys = sorted({key for run, key in points if run == ids[0]})
    checked = 0
    for key in keys[:4]:
        data = numpy.array(sorted(points[ids[0], key]))
        for scale in ("linear", "log"):
            for _ in range(4):
                low, high = sorted(random.uniform(data[0, 0], data[-1, 0], 2))
                chart = {"id": "c", "runs": [ids[0]], "keys": [key], "x": {"axis": "step", "scale": scale, "from": max(1.0, low), "to": max(2.0, high)}, "width": int(random.integers(5, 200))}
                header, arrays = frames(post(ui, "series:query", charts=[chart]).content)[0]
                assert "error" not in header
                bins = header["series"]["bins"][0]
                if header["series"]["raw"][0]:
                    continue
                for b in range(bins):
                    left, right = arrays["x"][b], arrays["x"][b + 1]
                    inside = data[(data[:, 0] >= left) & ((data[:, 0] <= right) if b == bins - 1 else (data[:, 0] < right)), 1]
                    finite = inside[numpy.isfinite(inside)]
                    assert arrays["count"][b] == len(inside)
                    if len(finite):
                        assert arrays["min"][b] == numpy.float32(finite.min())
                        assert arrays["max"][b] == numpy.float32(finite.max())
                        assert abs(arrays["mean"][b] - finite.mean()) <= 1e-5 * max(1e-6, abs(finite.mean())) + 1e-7
                        checked += 1
    assert checked > 100


def test_shared_positions_and_left_out_spreads_tell_the_same(ui, ids, points):
    """What `share_x` and `spread` save is nothing that the plain frame has and this one lacks."""
    keys = sorted({key for run, key in points if run == ids[0]})[:3]
    for width in (20, 8192):  # bins, then points
        chart = {"id": "c", "runs": ids[:4], "keys": keys, "x": {"axis": "step"}, "width": width}
        header, arrays = frames(post(ui, "series:query", charts=[chart]).content)[0]
        small, fewer = frames(post(ui, "series:query", charts=[{**chart, "share_x": True, "fields": ["mean", "spread"]}]).content)[0]
        all_raw = all(header["series"]["raw"])
        assert set(fewer) - {"mark_bin", "mark_kind", "mark_count"} == ({"x", "mean"} if all_raw else {"x", "mean", "min", "max"})
        assert small["series"]["bins"] == header["series"]["bins"] and len(fewer["x"]) < len(arrays["x"])
        at = 0
        for i, bins in enumerate(header["series"]["bins"]):
            first = small["series"]["x"][i]
            assert (fewer["x"][first : first + bins + 1] == arrays["x"][at + i : at + i + bins + 1]).all()
            at += bins
        for name in ("min", "max", "mean"):
            numpy.testing.assert_array_equal(fewer.get(name, fewer["mean"]), arrays[name])


def test_smoothing_is_the_debiased_average_of_raw_points(ui, ids, points):
    key = next(key for run, key in sorted(points) if run == ids[0] and "loss" in key)
    data = numpy.array(sorted(points[ids[0], key]))
    m = w = 0.0
    for step, value in data[:200]:
        if numpy.isfinite(value):
            m, w = 0.9 * m + 0.1 * value, 0.9 * w + 0.1
        answer = None
        if step == data[199, 0]:
            answer = post(ui, "series:points", series=[{"run": ids[0], "key": key}], x={"axis": "step"}, at=step, smoothing={"method": "ema", "amount": 0.9}).json()["points"][0]
            assert answer["value"] == pytest.approx(value, rel=1e-12)
            assert answer["smooth"] == pytest.approx(m / w, rel=1e-6)
    assert w > 0


def test_the_nearest_point_of_a_long_series_is_the_one_numpy_finds(tmp_path):
    """Series beyond 100,000 points are not read for a tooltip; what bins say must be the same to the last bit."""
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", "1", "--tags", "1", "--points", "150000", "--root", tmp_path / "long"], check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run([TAFFRAIL, "export", tmp_path / "long", "--format", "jsonl"], capture_output=True, text=True, check=True).stdout
    rows = [row for row in map(json.loads, text.splitlines()) if row["kind"] == "scalar"]
    steps, values = numpy.array([row["step"] for row in rows]), [row["value"] for row in rows]
    server = Ui(tmp_path / "long", tmp_path / "state")
    try:
        run = post(server, "runs:query").json()["runs"]["id"][0]
        for at in [-5, 0, 0.5, 149_998.5, 149_999, 1e9, *numpy.random.default_rng(3).uniform(0, 150_000, 40)]:
            found = post(server, "series:points", series=[{"run": run, "key": "train/loss"}], x={"axis": "step"}, at=float(at)).json()["points"][0]
            nearest = int(numpy.argmin(numpy.abs(steps - at)))
            assert (found["step"], found["value"]) == (steps[nearest], values[nearest]), at
    finally:
        server.close()


def test_parquet_holds_the_points_of_the_csv(ui, ids, tmp_path):
    sys.path.insert(0, str(ROOT / "scripts"))
    from testing import peers

    def fetch(form):
        ticket = post(ui, "exports", format=form, runs=ids[:2], keys=["train/loss", "val/loss"]).json()
        assert ticket["name"].endswith("." + form)
        return requests.get(ui.base + ticket["href"], timeout=20).content

    file = tmp_path / "points.parquet"
    file.write_bytes(fetch("parquet"))
    read = "import sys, pyarrow.parquet as p; t = p.read_table(sys.argv[1]); print(t.column_names); [print(r['run'], r['key'], r['step'], r['epoch'], r['samples'], repr(r['value'])) for r in t.to_pylist()]"
    lines = subprocess.run([peers.python_of("parquet"), "-c", read, file], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split(",") for line in fetch("csv").decode().splitlines()]
    assert lines[0] == str(rows[0])
    assert len(lines) == len(rows) > 1000
    for line, row in zip(lines[1:], rows[1:]):
        run, key, step, epoch, samples, value = line.split()
        assert (run, key, step, samples) == (row[0], row[2], row[3], row[6])
        assert float(epoch) == float(row[5])
        assert value == repr(float(row[10]))


def test_edits_are_undone_by_their_inverse(ui, ids):
    before = requests.get(ui.api + "run", params={"run": ids[0]}, timeout=60).json()
    done = post(ui, "edits", edits=[{"runs": [ids[0]], "add_tags": ["seen"], "name": "renamed", "color": "#372dcd", "notes": "a note", "archived": True}]).json()
    assert done["changed"] == [ids[0]]
    changed = requests.get(ui.api + "run", params={"run": ids[0]}, timeout=60).json()
    assert (changed["name"], changed["color"], changed["notes"], changed["archived"]) == ("renamed", "#372dcd", "a note", True) and "seen" in changed["tags"]
    assert post(ui, "edits", edits=done["inverse"]).status_code == 200
    after = requests.get(ui.api + "run", params={"run": ids[0]}, timeout=60).json()
    for member in ("name", "color", "notes", "archived", "tags"):
        assert after[member] == before[member], member


def test_an_unknown_run_refuses_the_whole_edit(ui, ids):
    assert post(ui, "edits", edits=[{"runs": [ids[0]], "add_tags": ["x"]}, {"runs": ["nobody"], "add_tags": ["x"]}]).status_code == 404
    assert "x" not in requests.get(ui.api + "run", params={"run": ids[0]}, timeout=60).json()["tags"]


def test_read_only_refuses_every_write_and_answers_every_question(read_only_ui):
    for path in ("edits", "views:save", "views:delete", "settings", "states"):
        answer = post(read_only_ui, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "read_only"), path
    assert post(read_only_ui, "runs:query").status_code == 200


def test_csv_export_holds_every_raw_point(ui, ids, points):
    key = next(key for run, key in sorted(points) if run == ids[0])
    ticket = post(ui, "exports", format="csv", runs=[ids[0]], keys=[key]).json()
    lines = requests.get(ui.base + ticket["href"], timeout=20).text.strip().splitlines()
    assert lines[0] == "run,name,key,step,time,epoch,samples,phase,rank,attempt,value"
    assert len(lines) - 1 == len(points[ids[0], key])
    got = [float(line.rsplit(",", 1)[1]) for line in lines[1:]]
    assert numpy.array_equal(got, [value for _, value in points[ids[0], key]], equal_nan=True)


def test_the_wide_table_holds_every_raw_point_too(ui, ids, points):
    """Also those that a later attempt logged again at the same step, where all attempts are asked for."""
    ticket = post(ui, "exports", format="csv", shape="wide", runs=ids, attempts="all").json()
    table = csv.DictReader(io.StringIO(requests.get(ui.base + ticket["href"], timeout=60).text))
    assert table.fieldnames[:5] == ["run", "name", "step", "rank", "attempt"]
    got, attempts = {}, set()
    for row in table:
        attempts.add(row["attempt"])
        for key in table.fieldnames[5:]:
            if row[key] != "":
                got.setdefault((row["run"], key), []).append((int(row["step"]), float(row[key])))
    assert len(attempts) > 1
    assert got.keys() == points.keys()
    for series, logged in points.items():
        assert numpy.array_equal(sorted(got[series], key=str), sorted(logged, key=str), equal_nan=True), series


def test_finding_o02_exports_leave_out_what_a_later_attempt_superseded(ui, ids):
    run = ids[-1]
    lines = {}
    for attempts in ("winning", "all"):
        ticket = post(ui, "exports", format="csv", runs=[run], keys=["train/loss"], attempts=attempts).json()
        lines[attempts] = len(requests.get(ui.base + ticket["href"], timeout=60).text.strip().splitlines()) - 1
    assert 0 < lines["winning"] < lines["all"]
    assert post(ui, "exports", format="csv", runs=[run], attempts="some").status_code == 400


def test_images_and_blobs_with_ranges(ui, ids):
    index = post(ui, "entries:index", runs=ids, kinds=["image"]).json()["series"]
    assert index
    picture = requests.get(ui.api + "image", params={"run": index[0]["run"], "key": index[0]["key"], "index": 0}, timeout=60)
    assert picture.headers["Content-Type"] == "image/png" and picture.content.startswith(b"\x89PNG")
    entry = requests.get(ui.api + "entries", params={"run": index[0]["run"], "key": index[0]["key"]}, timeout=60).json()["entries"][0]
    blob = {"run": index[0]["run"], "sha": entry["value"]["images"][0]["sha"], "format": "png"}
    whole = requests.get(ui.api + "blob", params=blob, timeout=60)
    part = requests.get(ui.api + "blob", params=blob, headers={"Range": "bytes=4-19"}, timeout=60)
    assert part.status_code == 206 and part.content == whole.content[4:20]
    assert requests.get(ui.api + "blob", params=blob, headers={"Range": "bytes=99999999-"}, timeout=60).status_code == 416
    # Who knows the size gets a part that was read alone; a wrong size changes nothing.
    size = len(requests.get(ui.api + "blob", params=blob, timeout=60).content)
    for told in (size, size + 1, size - 1, -1, "x"):
        alone = requests.get(ui.api + "blob", params={**blob, "size": told}, headers={"Range": "bytes=4-19"}, timeout=60)
        assert (alone.status_code, alone.content, alone.headers["content-range"]) == (206, part.content, f"bytes 4-19/{size}"), told
    assert requests.get(ui.api + "blob", params=blob, headers={"If-None-Match": whole.headers["ETag"]}, timeout=60).status_code == 304


HOSTILE = ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "a\0b", "'; drop table", "<script>", "𝔘" * 500, "x" * 8000, "%00", "\r\nX: y", "~root", "file:///etc/passwd"]


def test_hostile_ids_and_paths_read_nothing_and_break_nothing(ui):
    for text in HOSTILE:
        for path, parameters in (("run", {"run": text}), ("blob", {"run": text, "sha": text}), ("image", {"run": text, "key": text, "index": text}),
                                 ("entries", {"run": text, "key": text}), ("console", {"run": text, "first": text}), ("state", {"hash": text}), ("export", {"id": text})):
            answer = requests.get(ui.api + path, params=parameters, timeout=60)
            assert answer.status_code in (400, 404, 413), (path, text, answer.status_code)
            assert b"root:" not in answer.content
    address = urlparse(ui.base)
    for target in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../../etc/passwd", "//etc/passwd", "/api/v1/../../etc/passwd", "/assets/..%5c..%5cetc"):
        with socket.create_connection((address.hostname, address.port), timeout=60) as client:
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        assert b"root:" not in answer and answer.split(b" ", 2)[1] in (b"200", b"400", b"404"), target


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'{"charts": 5}', b'{"charts": [5]}', b'{"charts": [{"width": -1}]}', b'{"charts": [{"x": {"axis": "nope"}}]}', b'{"runs": 7}',
                                  b'{"filter": "lr<"}', b'{"sort": "x"}', b'{"edits": [1]}', b'{"series": [{}]}', b"\xff\xfe", b"[" * 100000, b'{"a":' * 5000])
def test_hostile_bodies_are_400(ui, body):
    for path in ("runs:query", "series:query", "series:points", "series:stats", "entries:index", "histograms:query", "exports", "edits", "views:save", "states"):
        answer = requests.post(ui.api + path, data=body, headers={"Content-Type": "application/json"}, timeout=20)
        assert answer.status_code in (200, 400, 413), (path, body[:40], answer.status_code)
        if answer.status_code != 200:
            assert answer.json()["error"]["message"]


def test_finding_r03_an_export_that_lacks_something_says_so(tmp_path, ui, ids):
    store = tmp_path / "store"
    shutil.copytree(ROOT / "tests" / "data" / "hostile" / "sealed" / "levels-of-two", store)
    server = Ui(store, tmp_path / "state")
    try:
        run = post(server, "runs:query").json()["runs"]["id"][0]
        # Damage that nobody met yet is met by the first reader: its transfer fails. From then on it is named before.
        prepared = post(server, "exports", runs=[run], keys=["train/loss"], format="csv").json()
        assert "partial" not in prepared
        with pytest.raises(requests.exceptions.RequestException):
            requests.get(server.base + prepared["href"], timeout=20)
        for form in ("csv", "jsonl", "parquet"):
            prepared = post(server, "exports", runs=[run], keys=["train/loss"], format=form).json()
            (part,) = prepared["partial"]
            assert part["run"] == run and part["file"].endswith(".parquet") and "definition levels" in part["reason"]
            assert requests.get(server.base + prepared["href"], timeout=20).status_code == 200, "what is whole can still be had"
    finally:
        server.close()
    assert "partial" not in post(ui, "exports", runs=ids[:1], keys=["train/loss"], format="csv").json()
    for form in ("csv", "jsonl", "parquet"):
        done = subprocess.run([TAFFRAIL, "export", run, "--root", store, "--format", form, "--output", tmp_path / form], capture_output=True, text=True)
        assert done.returncode == 1 and "damage" in done.stderr and ".parquet" in done.stderr, (form, done)


def test_finding_r12_a_filter_that_no_run_understands_is_refused_with_the_nearest_name(ui):
    answer = post(ui, "runs:query", filter="state:finished and train/los<1")
    error = answer.json()["error"]
    assert answer.status_code == 400 and error["offset"] == len("state:finished and ")
    assert "no run has 'train/los'; did you mean 'train/loss'?" in error["message"]
    assert post(ui, "runs:query", filter="train/loss<abc").status_code == 400
    assert post(ui, "runs:query", filter="train/loss<-1e9").json()["matched"] == 0, "a known name that nothing matches is no mistake"


def test_other_hosts_and_origins_are_refused(ui):
    assert requests.get(ui.api + "server", headers={"Host": "evil.example"}, timeout=60).status_code == 403
    assert requests.post(ui.api + "settings", json={}, headers={"Origin": "https://evil.example"}, timeout=60).status_code == 403


@pytest.mark.alone
def test_events_tell_of_new_runs_within_a_second(ui, runs):
    heard = []

    def listen():
        with requests.get(ui.api + "events", stream=True, timeout=20) as stream:
            for line in stream.iter_lines(chunk_size=1):
                heard.append((time.monotonic(), line.decode()))
                if line.startswith(b"event: runs"):
                    return

    listener = threading.Thread(target=listen)
    listener.start()
    while not any("hello" in line for _, line in heard):
        time.sleep(0.02)
    before = post(ui, "runs:query").json()["total"]
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", "1", "--points", "50", "--seed", "99", "--root", runs], check=True, stdout=subprocess.DEVNULL)
    written = time.monotonic()
    listener.join(timeout=60)
    assert any(line.startswith("event: runs") for _, line in heard)
    assert heard[-1][0] - written < 1.0
    assert post(ui, "runs:query").json()["total"] == before + 1


def test_schemathesis_finds_nothing(ui):
    done = subprocess.run([Path(sys.executable).with_name("schemathesis"), "run", ui.api + "openapi.json", "--url", ui.api.rstrip("/"), "--checks", "not_a_server_error,response_schema_conformance",
                           "--phases", "coverage,fuzzing", "--max-examples", "15", "--max-time", "60", "--request-timeout", "10", "--generation-deterministic", "--exclude-path-regex", "events"],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
