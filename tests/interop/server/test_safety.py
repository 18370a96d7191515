"""What hostile clients try, against the real command over real sockets."""

import json
import re
import socket
import subprocess
import time
from urllib.parse import urlparse

import pytest
import requests

from conftest import TAFFRAIL, Ui


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("safety") / "small"
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", "2", "--tags", "2", "--points", "20", "--root", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module")
def server(small, tmp_path_factory):
    running = Ui(small, tmp_path_factory.mktemp("state"))
    yield running
    running.close()


@pytest.fixture
def asking(small, tmp_path):
    """A server that asks its visitors, with what it printed."""
    process = subprocess.Popen([TAFFRAIL, "ui", small, "--port", "0", "--token", "--no-open", "--json", "--state-dir", tmp_path / "state"],
                               stdout=subprocess.PIPE, text=True)
    said = json.loads(process.stdout.readline())
    yield process, said
    process.terminate()
    assert process.wait(timeout=10) == 0


def raw(server, text):
    address = urlparse(server.base)
    with socket.create_connection((address.hostname, address.port), timeout=10) as client:
        client.sendall(text.encode())
        return b"".join(iter(lambda: client.recv(65536), b"")).decode()


def test_finding_s07_a_filter_of_megabytes_is_refused_and_the_server_lives(server):
    for text in (" or ".join(["a:b"] * 450_000), "(" * 2_000_000, "not " * 500_000 + "a:b"):
        answer = requests.post(server.api + "runs:query", json={"filter": text}, timeout=30)
        assert answer.status_code == 400
        assert "filter" in answer.json()["error"]["message"]
    assert requests.post(server.api + "runs:query", json={"filter": " or ".join(["name~x"] * 1000)}, timeout=30).status_code == 200


def test_finding_s09_writes_come_from_the_own_page_as_json_only(server):
    own = f"http://{urlparse(server.base).netloc}"
    port = urlparse(server.base).port
    write = {"url": server.api + "settings", "timeout": 10}
    assert requests.post(**write, json={}, headers={"Origin": own}).status_code == 200
    for origin in ("https://evil.example", "null", f"http://localhost:{port + 1}", f"http://127.0.0.1:{port + 1}", ""):
        assert requests.post(**write, json={}, headers={"Origin": origin}).status_code == 403, origin
    assert requests.post(**write, json={}, headers={"Sec-Fetch-Site": "same-site"}).status_code == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert requests.post(**write, data="{}", headers={"Content-Type": kind}).status_code == 415, kind


def test_finding_s09_a_token_does_not_let_other_pages_write(asking):
    _, said = asking
    address = urlparse(said["address"])
    api = f"http://{address.netloc}/api/v1/"
    headers = {"Authorization": "Bearer " + said["token"]}
    assert requests.post(api + "settings", json={}, headers=headers, timeout=10).status_code == 200
    for origin in ("https://evil.example", "null"):
        assert requests.post(api + "settings", json={}, headers={**headers, "Origin": origin}, timeout=10).status_code == 403


def test_finding_s10_an_address_works_once_and_the_next_is_printed(asking):
    process, said = asking
    code = re.search(r"token=([0-9a-f]{48})", said["address"]).group(1)
    plain = f"http://{urlparse(said['address']).netloc}/"
    assert said["token"] != code
    first = requests.Session()
    assert first.get(said["address"], timeout=10).status_code == 200
    cookie = first.cookies.get_dict()
    assert list(cookie) == [f"taffrail_session_{said['port']}"], "one per port, and nothing else"
    assert not {code, said["token"]} & set(cookie.values()), "a secret of its own"
    assert first.get(plain + "api/v1/projects", timeout=10).status_code == 200
    again = requests.get(said["address"], timeout=10, allow_redirects=False)
    assert again.status_code == 401 and "used before" in again.json()["error"]["message"]
    following = json.loads(process.stdout.readline())["address"]
    second = requests.Session()
    assert second.get(following, timeout=10).status_code == 200
    assert second.cookies.get_dict() != cookie
    assert first.get(plain + "api/v1/projects", timeout=10).status_code == 200, "the first one stays"
    assert requests.get(plain, headers={"Authorization": "Bearer " + code}, timeout=10).status_code == 401


def test_finding_s20_loopback_asks_too_when_told_to(asking, small, tmp_path):
    _, said = asking
    plain = f"http://{urlparse(said['address']).netloc}/"
    assert requests.get(plain + "api/v1/projects", timeout=10).status_code == 401
    assert requests.post(plain + "api/v1/settings", json={}, timeout=10).status_code == 401
    assert requests.get(plain + "api/v1/projects", headers={"Authorization": "Bearer " + said["token"]}, timeout=10).status_code == 200
    help_text = subprocess.run([TAFFRAIL, "ui", "--help"], capture_output=True, text=True, check=True).stdout
    assert "--token" in help_text and "--read-only" in help_text
    reading = Ui(small, tmp_path / "read-only", "--read-only")
    try:
        runs = requests.post(reading.api + "runs:query", json={}, timeout=10).json()["runs"]["id"]
        edit = {"edits": [{"run": runs[0], "add_tags": ["x"]}]}
        assert requests.post(reading.api + "edits", json=edit, timeout=10).status_code == 403
    finally:
        reading.close()


def test_finding_s23_routes_hosts_and_lengths_are_read_strictly(server):
    for path in ("api/v2/server", "api/123server", "api/v1server", "api/v1/server/"):
        assert requests.get(server.base + path, timeout=10).status_code == 404, path
    for head in ("Host: localhost\r\nTransfer-Encoding: xchunked", "Host: [::1]evil", "Host: localhost:evil.example", "Host: localhost\r\nHost: evil.example", "X: y"):
        answer = raw(server, f"POST /api/v1/settings HTTP/1.1\r\n{head}\r\nContent-Type: application/json\r\n\r\n" "GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert answer.startswith("HTTP/1.1 400 "), head
        assert answer.count("HTTP/1.1 ") == 1, "what follows is not taken for a request"


def test_finding_s21_prepared_downloads_stay_small(server):
    def resident():
        with open(f"/proc/{server.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) // 1024

    body = {"runs": [f"01J{i:020d}" for i in range(100_000)], "format": "csv"}
    requests.post(server.api + "exports", json=body, timeout=30)
    before = resident()
    for _ in range(20):
        assert requests.post(server.api + "exports", json=body, timeout=30).status_code == 200
    time.sleep(2.5)  # what the requests themselves took goes back to the system every two seconds
    assert resident() < before + 60, "twenty of them were 175 MB"


def test_finding_s18_idle_connections_neither_starve_clients_nor_burn_a_core(small, tmp_path):
    starter = f"ulimit -n 1024; exec {TAFFRAIL} ui {small} --port 0 --no-open --json --state-dir {tmp_path / 'state'}"
    process = subprocess.Popen(["bash", "-c", starter], stdout=subprocess.PIPE, text=True)
    port = json.loads(process.stdout.readline())["port"]
    idle = []
    try:
        for _ in range(700):
            idle.append(socket.create_connection(("127.0.0.1", port), timeout=10))
        for _ in range(5):
            assert requests.get(f"http://127.0.0.1:{port}/api/v1/server", timeout=10).status_code == 200

        def ticks():
            with open(f"/proc/{process.pid}/stat") as stat:
                fields = stat.read().rsplit(") ", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        before = ticks()
        time.sleep(2)
        assert ticks() - before < 100, "half of a core, for doing nothing"
    finally:
        for each in idle:
            each.close()
        process.terminate()
        assert process.wait(timeout=10) == 0


def test_finding_s19_slow_readers_of_exports_hold_nobody_up(tmp_path):
    folder = tmp_path / "runs"
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", "4", "--tags", "4", "--points", "60000", "--root", folder], check=True, stdout=subprocess.DEVNULL)
    server = Ui(folder, tmp_path / "state")
    address = urlparse(server.base)
    slow = []
    try:
        runs = requests.post(server.api + "runs:query", json={}, timeout=30).json()["runs"]["id"]
        for _ in range(6):
            ticket = requests.post(server.api + "exports", json={"runs": runs, "format": "csv"}, timeout=30).json()
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((address.hostname, address.port))
            client.sendall(f"GET /{ticket['href']} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert client.recv(100).startswith(b"HTTP/1.1 200")
            slow.append(client)
        for _ in range(10):
            assert requests.get(server.api + "projects", timeout=10).status_code == 200
        ticket = requests.post(server.api + "exports", json={"runs": runs[:1], "format": "csv"}, timeout=30).json()
        whole = requests.get(server.base + ticket["href"], timeout=60)
        assert whole.text.endswith("\n") and whole.text.count("\n") > 60000, "a reader that reads gets everything meanwhile"
    finally:
        for each in slow:
            each.close()
        server.close()


def test_a_download_that_lacks_a_run_is_refused_instead_of_being_short(server):
    ticket = requests.post(server.api + "exports", json={"runs": ["nobody"], "format": "csv"}, timeout=10).json()
    assert requests.get(server.base + ticket["href"], timeout=10).status_code == 404


def shas(value):
    """Every blob named anywhere in a JSON value."""
    if isinstance(value, dict):
        found = [value["sha"]] if isinstance(value.get("sha"), str) else []
        return found + [each for inner in value.values() for each in shas(inner)]
    return [each for inner in value for each in shas(inner)] if isinstance(value, list) else []


def test_finding_s11_links_out_of_a_logdir_serve_nothing_and_linked_runs_are_read(small, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("SECRET outside of the logdir\n")
    logdir = tmp_path / "logdir"
    subprocess.run([TAFFRAIL, "export", "--format", "tensorboard", "-o", tmp_path / "elsewhere", small], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([TAFFRAIL, "export", "--format", "tensorboard", "-o", logdir, small], check=True, stdout=subprocess.DEVNULL)
    run = next(path.parent for path in logdir.rglob("*tfevents*"))
    profile = run / "plugins" / "profile" / "2026"
    profile.mkdir(parents=True)
    (profile / "own.trace.json").write_text("OWN trace\n")
    (profile / "link.trace.json").symlink_to(outside / "secret.txt")
    (run / "worker.pt.trace.json").symlink_to(outside / "secret.txt")
    (run / "plugins" / "profile" / "all").symlink_to(outside)
    (logdir / "linked").symlink_to(tmp_path / "elsewhere")
    server = Ui(logdir, tmp_path / "state")
    try:
        runs = requests.post(server.api + "runs:query", json={}, timeout=30).json()["runs"]["id"]
        assert any("linked" in each for each in runs), "whole folders are linked into one place to compare them"
        served = []
        for each in runs:
            files = requests.get(server.api + "files", params={"run": each}, timeout=30)
            served += [files.content] + [requests.get(server.api + "blob", params={"run": each, "sha": sha}, timeout=30).content for sha in shas(files.json())]
        for item in requests.post(server.api + "entries:index", json={"runs": runs}, timeout=30).json()["series"]:
            entries = requests.get(server.api + "entries", params={"run": item["run"], "key": item["key"]}, timeout=30)
            served.append(entries.content)
            if entries.status_code == 200:
                served += [requests.get(server.api + "blob", params={"run": item["run"], "sha": sha}, timeout=30).content for sha in shas(entries.json())]
        assert any(b"OWN trace" in each for each in served), "the run's own files are"
        assert not any(b"SECRET" in each for each in served)
    finally:
        server.close()
