"""A small server on loopback that the real client uploads to, and what the tests start.

The server answers what an upload needs and records everything it is sent: history, summary, config, files, console,
exit code. TAFFRAIL_BUILD names the build folder (default: build/ci).
"""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
KEY = "x" * 40  # the client wants 40 letters and looks no further


def build_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))


def write(scenario: str, folder: Path) -> Path:
    """Records a run with our sink and returns the wandb folder."""
    program = build_folder() / "tests/interop/wandb/wandb_write"
    (folder / "root").mkdir(exist_ok=True)
    subprocess.run([program, scenario, folder / "root", folder], check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "wandb"


def taffrail(*arguments, fails: bool = False) -> str:
    program = build_folder() / "bin/taffrail"
    done = subprocess.run([program, *map(str, arguments)], timeout=300, capture_output=True, text=True)
    assert fails or done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Recorded:
    """What one run of the tracker consists of."""

    def __init__(self):
        self.bucket, self.history, self.events, self.console, self.files = {}, {}, {}, {}, {}
        self.summary, self.exit_code, self.alerts, self.artifacts, self.manifests = {}, None, [], [], []

    @property
    def rows(self) -> list[dict]:
        return [json.loads(self.history[line]) for line in sorted(self.history)]

    @property
    def config(self) -> dict:
        return {name: value["value"] for name, value in json.loads(self.bucket.get("config") or "{}").items()}

    @property
    def lines(self) -> list[str]:
        return [self.console[line] for line in sorted(self.console)]


class Server:
    """Answers GraphQL, the file stream and uploads; ends with the test. `faults` is asked before each answer what goes wrong with it."""

    def __init__(self, faults=None):
        self.runs: dict[str, Recorded] = {}
        self.faults = faults or (lambda: None)
        self.uploads: dict[str, bytes] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, body: bytes, status: int = 200) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def body(self) -> bytes:
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            def fails(self, serve) -> bool:
                """What goes wrong with this request; `serve` is what it asks for."""
                fault = server.faults()
                if fault in ("429", "500"):
                    self.send_response(int(fault))
                    self.send_header("Retry-After", "1") if fault == "429" else None
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif fault in ("cut", "stall", "refused"):
                    if fault == "cut":  # it was done, and the answer does not arrive whole
                        serve()
                        self.send_response(200)
                        self.send_header("Content-Length", "1000")
                        self.end_headers()
                        self.wfile.write(b'{"data": {')
                    elif fault == "stall":
                        time.sleep(1.5)
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                elif fault == "replay":  # somebody between sent it twice
                    serve()
                return fault in ("429", "500", "cut", "stall", "refused")

            def do_POST(self):
                body = self.body()
                graphql = self.path.endswith("/graphql")
                if self.fails(lambda: server.graphql(json.loads(body)) if graphql else server.stream(self.path.split("/")[-2], json.loads(body))):
                    return
                if self.path.endswith("/graphql"):
                    self.answer(json.dumps(server.graphql(json.loads(body))).encode())
                elif self.path.endswith("/file_stream"):
                    server.stream(self.path.split("/")[-2], json.loads(body))
                    self.answer(b"{}")
                else:
                    self.answer(b"", 404)

            def do_PUT(self):
                body = self.body()
                if self.fails(lambda: server.uploads.update({self.path: body})):
                    return
                server.uploads[self.path] = body
                self.answer(b"")

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def run(self, name: str) -> Recorded:
        return self.runs.setdefault(name, Recorded())

    def stream(self, name: str, body: dict) -> None:
        run = self.run(name)
        for file, part in body.get("files", {}).items():
            lines = dict(enumerate(part["content"], start=part["offset"]))
            {"wandb-history.jsonl": run.history, "wandb-events.jsonl": run.events, "output.log": run.console}.get(file, {}).update(lines)
            if file == "wandb-summary.json":
                run.summary = json.loads(part["content"][-1])
        if body.get("complete"):
            run.exit_code = body.get("exitcode")

    def graphql(self, request: dict) -> dict:
        query, variables = request["query"], request.get("variables") or {}
        name = re.search(r"(?:query|mutation)\s+(\w+)", query)
        answer = getattr(self, "answer_" + name[1], None) if name else None
        return {"data": answer(variables)} if answer else {"data": None, "errors": [{"message": "unimplemented"}]}

    def answer_Viewer(self, _):
        return {"viewer": {"id": "u", "entity": "me", "username": "me", "email": "", "flags": "{}", "teams": {"edges": []}}}

    def answer_ServerFeaturesQuery(self, _):
        return {"serverInfo": {"features": []}}

    def answer_UpsertBucket(self, variables):
        name = variables["name"]
        self.run(name).bucket.update({key: value for key, value in variables.items() if value is not None})
        project = {"name": variables["project"], "entity": {"name": variables.get("entity") or "me"}}
        return {"upsertBucket": {"bucket": {"id": "b1", "name": name, "displayName": name, "project": project}, "inserted": True}}

    def answer_RunResumeStatus(self, variables):
        name = variables["name"]
        run, project = self.runs.get(name), {"id": "p", "name": variables["project"], "entity": {"id": "e", "name": "me"}}
        if run is None or not run.history:
            return {"model": {**project, "bucket": None}}
        tail = run.history[max(run.history)]
        bucket = {"id": "b1", "name": name, "displayName": name, "summaryMetrics": json.dumps(run.summary), "logLineCount": len(run.console),
                  "historyLineCount": len(run.history), "eventsLineCount": len(run.events), "historyTail": json.dumps([tail]), "eventsTail": "[]",
                  "config": run.bucket.get("config", "{}"), "tags": [], "notes": None, "wandbConfig": '{"t":{}}'}
        return {"model": {**project, "bucket": bucket}}

    def answer_CreateRunFiles(self, variables):
        run = self.run(variables["run"])
        for file in variables["files"]:
            run.files[file] = f"/put/{variables['run']}/{file}"
        return {"createRunFiles": {"files": [{"name": file, "uploadUrl": self.url + run.files[file]} for file in variables["files"]]}}

    def answer_NotifyScriptableRunAlert(self, variables):
        self.run(variables["runName"]).alerts.append(variables)
        return {"notifyScriptableRunAlert": {"success": True}}

    def answer_CreateArtifact(self, variables):
        asked = variables.get("input", variables)
        self.run(asked["runName"]).artifacts.append(asked)
        return {"createArtifact": {"artifact": {"id": f"a{len(self.run(asked['runName']).artifacts)}", "state": "PENDING"}}}

    def answer_CreateArtifactManifest(self, variables):
        file = {"id": "f1", "uploadUrl": f"{self.url}/put/manifest/{variables.get('artifactID', 'x')}", "uploadHeaders": []}
        return {"createArtifactManifest": {"artifactManifest": {"id": "m1", "file": file}}}

    def answer_CreateArtifactFiles(self, variables):
        files = variables.get("input", variables)["artifactFiles"]
        edges = [{"node": {"storagePath": "x", "uploadUrl": f"{self.url}/put/artifact/{file['artifactID']}/{file['name']}", "uploadHeaders": [],
                           "artifact": {"id": file["artifactID"]}}} for file in files]
        return {"createArtifactFiles": {"files": {"edges": edges}}}

    def answer_CommitArtifact(self, variables):
        return {"commitArtifact": {"artifact": {"id": variables.get("artifactID", "a1"), "digest": "d"}}}


@pytest.fixture
def server():
    made = Server()
    yield made
    made.close()


def client(folder: Path, url: str, *arguments) -> str:
    """The official program, with a home of its own; what it said."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "WANDB_BASE_URL": url, "WANDB_API_KEY": KEY, "WANDB_CACHE_DIR": str(folder / "cache"),
                 "WANDB_DATA_DIR": str(folder / "data"), "WANDB_CONFIG_DIR": str(folder / "config"), "WANDB_ERROR_REPORTING": "false"}
    done = subprocess.run([sys.executable, "-m", "wandb", *map(str, arguments)], env=variables, cwd=folder, timeout=300, capture_output=True, text=True)
    return done.stdout + done.stderr


def sync(folder: Path, server: Server, *paths) -> str:
    return client(folder, server.url, "sync", *(paths or [folder / "wandb"]), "--yes" if not paths else "-v")


def inspect(folder: Path, path: Path) -> list[dict]:
    """The records of a run folder, by the official reader."""
    said = client(folder, "http://127.0.0.1:9", "leet", "inspect", "--json", path)
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]
