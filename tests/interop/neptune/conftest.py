"""What the tests against Neptune start. TAFFRAIL_BUILD names the build folder (default: build/ci)."""

import base64
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def build_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))


def write(scenario: str, folder: Path) -> Path:
    """Records a run with our sink and returns the log."""
    (folder / "root").mkdir(exist_ok=True)
    program = build_folder() / "tests/interop/comet/tracker_write"
    subprocess.run([program, "neptune", scenario, folder / "root", folder / "log"], check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (log,) = (folder / "log").glob("*/run_operations.sqlite3")
    return log


def taffrail(*arguments) -> str:
    done = subprocess.run([build_folder() / "bin/taffrail", *map(str, arguments)], timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def without_padding(value) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class Server:
    """What `neptune sync` asks a server of its own for, on loopback: who it is, operations, where files go. It keeps what it was given."""

    def __init__(self):
        from neptune_api.proto.neptune_pb.ingest.v1.pub import client_pb2, ingest_pb2, request_status_pb2

        self.operations, self.files, self.refused = [], {}, []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def say(self, body, kind="application/json", code=200, **headers):
                content = json.dumps(body).encode() if kind.endswith("json") else body
                self.send_response(code)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def body(self) -> bytes:
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            def do_GET(self):
                if self.path.startswith("/api/backend/v1/clients/config"):
                    self.say({"apiUrl": server.url, "applicationUrl": server.url, "security": {"clientId": "client", "openIdDiscovery": server.url + "/discovery"}, "pyLibVersions": {}})
                elif self.path == "/discovery":
                    self.say({"authorization_endpoint": server.url + "/auth", "token_endpoint": server.url + "/token"})
                elif self.path.startswith("/api/backend/v1/authorization/oauth-token"):
                    token = ".".join([without_padding({"alg": "none"}), without_padding({"exp": int(time.time()) + 3600, "azp": "client"}), "eA"])
                    self.say({"accessToken": token, "refreshToken": token, "username": "somebody"})
                else:
                    server.refused.append(self.path)
                    self.say({}, code=404)

            def do_POST(self):
                content = self.body()
                if self.path.startswith("/api/client/v1/ingest/check"):
                    asked = client_pb2.RequestIdList.FromString(content)
                    done = request_status_pb2.RequestStatus(code_by_count=[request_status_pb2.RequestStatus.CodeByCount(count=1)])
                    answer = client_pb2.BulkRequestStatus(statuses=[done for _ in asked.ids])
                    self.say(answer.SerializeToString(), "application/x-protobuf")
                elif self.path.startswith("/api/client/v1/ingest"):
                    server.operations.append(ingest_pb2.RunOperation.FromString(content))
                    self.say(client_pb2.SubmitResponse(request_ids=[str(len(server.operations))]).SerializeToString(), "application/x-protobuf")
                elif self.path.startswith("/api/storagebridge/v1/signedUrl"):
                    files = json.loads(content)["files"]
                    self.say({"files": [{"path": one["path"], "project_identifier": one["project_identifier"], "permission": one["permission"], "provider": "aws",
                                         "url": f"{server.url}/put/{base64.urlsafe_b64encode(one['path'].encode()).decode()}"} for one in files]})
                else:
                    server.refused.append(self.path)
                    self.say({}, code=404)

            def do_PUT(self):
                server.files[base64.urlsafe_b64decode(self.path.removeprefix("/put/")).decode()] = self.body()
                self.say(b"", "text/plain", ETag='"1"')

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def token(self) -> str:
        return base64.b64encode(json.dumps({"api_address": self.url, "api_url": self.url}).encode()).decode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def sync(log: Path, server: Server) -> str:
    """The unmodified program. It takes the log away once all of it was sent."""
    variables = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run([Path(sys.executable).with_name("neptune"), "sync", log, "--api-token", server.token, "--timeout", "240"], timeout=300, capture_output=True, text=True,
                          env={**variables, "HOME": str(log.parent), "NO_PROXY": "*"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
