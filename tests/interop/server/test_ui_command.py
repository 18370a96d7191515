"""What `taffrail ui` takes on its command line, each option seen from outside."""

import os
import re
import shutil
import socket
import subprocess
import time
from urllib.parse import urlparse

import pytest
import requests

from conftest import TAFFRAIL, Ui


def projects(server):
    return requests.get(server.api + "projects", timeout=60).json()["projects"]


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "small"
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", "2", "--tags", "2", "--points", "20", "--root", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def test_a_busy_port_is_stepped_over(small, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = Ui(small, tmp_path / "state", "--port", str(port))
        try:
            assert port < urlparse(server.base).port <= port + 100
            assert projects(server)[0]["runs"] == 2
        finally:
            server.close()


def test_logdir_is_accepted_as_tensorboard_spells_it(small, tmp_path):
    process = subprocess.Popen([TAFFRAIL, "ui", f"--logdir={small}", "--port", "0", "--no-open", "--state-dir", tmp_path / "state"], stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        assert requests.get(address + "api/v1/projects", timeout=60).json()["projects"][0]["name"] == "sweep"
        assert str(small) in process.stdout.readline()
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


def test_a_profile_opens_whatever_it_is_called(small, tmp_path):
    callgrind, plain = tmp_path / "callgrind.out.4711", tmp_path / "notes"
    callgrind.write_text("events: Ir\nfn=main\n1 5\n")
    plain.write_text("words and words\nand no number\n")
    process = subprocess.Popen([TAFFRAIL, "ui", callgrind, small, "--port", "0", "--no-open", "--state-dir", tmp_path / "state"], stdout=subprocess.PIPE, text=True)
    try:
        api = process.stdout.readline().strip().split("#")[0] + "api/v1/"
        assert process.stdout.readline().startswith(f"2 runs in {small}, profile {callgrind}. ")
        assert [found["name"] for found in requests.get(api + "profiles", timeout=60).json()["profiles"]] == ["0 callgrind.out.4711"]
        assert requests.get(api + "projects", timeout=60).json()["projects"][0]["runs"] == 2
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0
    done = subprocess.run([TAFFRAIL, "ui", plain, "--port", "0", "--no-open", "--state-dir", tmp_path / "state"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and f"{plain} is a file" in done.stderr


def test_finding_o18_a_removed_root_is_named_with_its_reason(small, tmp_path):
    server = Ui(small, tmp_path / "state")
    try:
        assert requests.get(server.api + "projects", timeout=60).json()["unreadable"] == []
        small.rename(tmp_path / "elsewhere")
        deadline = time.monotonic() + 60
        while not (gone := requests.get(server.api + "projects", timeout=60).json()["unreadable"]):
            assert time.monotonic() < deadline, "nobody says that the root is gone"
            time.sleep(0.1)
        assert gone[0]["location"] == str(small)
        assert "it is gone" in gone[0]["reason"]
    finally:
        server.close()


def test_several_named_roots_stand_side_by_side(small, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(small, other)
    server = Ui(f"mine:{small},theirs:{other}", tmp_path / "state")
    try:
        listed = requests.post(server.api + "runs:query", json={}, timeout=60).json()["runs"]["id"]
        assert sorted(run.split(":")[0] for run in listed) == ["mine", "mine", "theirs", "theirs"]
        assert sorted(projects(server)[0]["roots"]) == ["mine", "theirs"]
    finally:
        server.close()


def test_a_base_path_is_in_the_address_and_answers_with_and_without_it(small, tmp_path):
    server = Ui(small, tmp_path / "state", "--base-path", "/x/y")
    try:
        assert urlparse(server.base).path == "/x/y/"
        assert requests.get(server.base, timeout=60).status_code == 200
        assert projects(server)[0]["runs"] == 2
        # A proxy may also take the path away before it asks.
        assert requests.get(server.base.replace("/x/y/", "/api/v1/projects"), timeout=60).status_code == 200
    finally:
        server.close()


def test_another_host_asks_who_is_there(small, tmp_path):
    server = Ui(small, tmp_path / "state", "--host", "0.0.0.0")
    try:
        address = urlparse(server.base)
        token = re.search(r"token=([0-9a-f]{32,})", server.base).group(1)
        plain = f"http://127.0.0.1:{address.port}/"
        assert requests.get(plain, timeout=60).status_code == 401
        assert requests.get(plain + "api/v1/projects", timeout=60).status_code == 401
        assert requests.get(plain + "?token=" + "0" * len(token), timeout=60).status_code == 401
        visitor = requests.Session()
        assert visitor.get(f"{plain}?token={token}", timeout=60).status_code == 200
        assert "token" not in visitor.get(plain, timeout=60).url
        assert visitor.get(plain + "api/v1/projects", timeout=60).status_code == 200
    finally:
        server.close()


def test_over_ssh_the_forwarding_command_is_printed(small, tmp_path):
    process = subprocess.Popen([TAFFRAIL, "ui", small, "--port", "0", "--no-open", "--state-dir", tmp_path / "state"], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "SSH_CONNECTION": "10.0.0.2 50000 10.0.0.1 22"})
    try:
        port = urlparse(process.stdout.readline().strip()).port
        process.stdout.readline()
        assert process.stdout.readline().strip() == f"From your own machine:  ssh -L {port}:localhost:{port} {socket.gethostname()}"
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


def test_a_tensorboard_logdir_has_a_project_with_a_name(tmp_path):
    """A page without a project has no address: nothing of a logdir would be seen."""
    generate = TAFFRAIL.parents[1] / "bench" / "tensorboard" / "tensorboard_bench_generate"
    subprocess.run([generate, tmp_path / "logdir", "2", "1", "5", "scalar"], check=True, stdout=subprocess.DEVNULL)
    for target in (str(tmp_path / "logdir"), f"old:{tmp_path / 'logdir'}"):
        server = Ui(target, tmp_path / "state")
        try:
            (project,) = projects(server)
            assert project["name"] and project["runs"] == 2
        finally:
            server.close()
