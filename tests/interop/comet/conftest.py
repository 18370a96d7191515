"""A small server on loopback that the real uploader sends to, and what the tests start. TAFFRAIL_BUILD names the build folder (default: build/ci)."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[3]


def build_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))


def write(sink: str, scenario: str, folder: Path) -> Path:
    """Records a run with our sink and returns the folder it wrote to."""
    (folder / "root").mkdir(exist_ok=True)
    program = build_folder() / "tests/interop/comet/tracker_write"
    subprocess.run([program, sink, scenario, folder / "root", folder / "log"], check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "log"


def taffrail(*arguments, fails: bool = False) -> str:
    done = subprocess.run([build_folder() / "bin/taffrail", *map(str, arguments)], timeout=300, capture_output=True, text=True)
    assert fails or done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def messages_of(archive: Path) -> tuple[dict, list[dict], zipfile.ZipFile]:
    opened = zipfile.ZipFile(archive)
    assert opened.testzip() is None
    return json.loads(opened.read("experiment.json")), [json.loads(line) for line in opened.read("messages.json").splitlines()], opened


def environment(folder: Path, **more: str) -> dict:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "COMET_API_KEY": "x" * 25, "COMET_DISABLE_AUTO_LOGGING": "1", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **more}


def comet(folder: Path, *arguments, **more: str) -> subprocess.CompletedProcess:
    """The official program, with a home of its own."""
    return subprocess.run([Path(sys.executable).with_name("comet"), *map(str, arguments)], env=environment(folder, **more), cwd=folder, timeout=300, capture_output=True, text=True)


class Server:
    """Answers what `comet upload` asks and records everything; ends with the test."""

    def __init__(self):
        self.metrics, self.parameters, self.others, self.uploads, self.tags, self.runs, self.output, self.errors = [], [], {}, [], [], [], [], []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self):
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length)
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                answer = json.dumps(server.answer(self.path, self.headers, body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PUT = reply

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/clientlib/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def answer(self, path: str, headers, body: bytes) -> dict:
        asked = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        if "multipart" in headers.get("Content-Type", ""):
            boundary = re.search(r"boundary=(.+)", headers["Content-Type"])[1].encode()
            file = next((part.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n") for part in body.split(b"--" + boundary) if b'name="file"' in part), b"")
            self.uploads.append((query, file))
            return {"assetId": "a"}
        told = json.loads(body) if body[:1] in (b"{", b"[") else {}
        if asked.path.endswith("add/run") or asked.path.endswith("get/run"):
            self.runs.append((asked.path.rsplit("/", 2)[-2], told))
            return {"runId": "r", "project_id": "p", "focusUrl": "http://127.0.0.1/"}
        if asked.path.endswith("status-report/update"):
            return {"is_alive_beat_duration_millis": 10000, "gpu_monitor_interval_millis": 10000}
        if asked.path.endswith("isAlive/ver"):
            return {"version": "9.9.9"}
        if asked.path.endswith("experiment/metric"):
            self.metrics += told["values"]
        elif asked.path.endswith("experiment/parameter"):
            self.parameters += told["values"]
        elif asked.path.endswith("log-other"):
            self.others[told["key"]] = told["value"]
        elif asked.path.endswith("add-tags-to-experiment"):
            self.tags += told.get("addedTags", [])
        elif asked.path.endswith("experiment/output"):
            self.output += told.get("outputLines", [])
        return {"assetId": "a"}


@pytest.fixture(scope="module")
def server():
    made = Server()
    yield made
    made.close()
