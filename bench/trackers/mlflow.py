"""MLflow: the same points into one real tracking server on loopback by our sink and by MlflowClient, and its database read by both."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path

from bench.trackers.common import PROGRAM, SILENT, WIDTH, beside, folder, median_of, missed, read_by_us, slope

TARGETS = {
    "trk.mlflow_client_cpu": {"at_least": 50, "of": "ratio"},
    "trk.mlflow_rate": {"at_least": 1.0, "of": "ratio"},
    "trk.mlflow_read": {"at_least": 20, "of": "ratio"},
}
SMALL, LARGE = 100, 1_000  # rows: what the server can take within the bound of finish()
READ = 2_000
LONGEST_START = 300


@contextmanager
def server(python, place: Path):
    """`mlflow server` on an SQLite file, ended with all its processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{place}/mlflow.db", "--artifacts-destination", f"{place}/artifacts",
               "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    with (place / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=SILENT, cwd=place, start_new_session=True)
    try:
        until = time.monotonic() + LONGEST_START
        while True:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("mlflow server did not start: " + (place / "server.log").read_text()[-400:])
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/health", timeout=5):
                    break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def stored(place: Path) -> int:
    """Points that the server holds: what was sent counts only when it arrived."""
    with closing(sqlite3.connect(f"file:{place}/mlflow.db?mode=ro", uri=True)) as database:
        return database.execute("select count(*) from metrics").fetchone()[0]


def ours(context, place: Path, uri: str, rows: int) -> dict:
    before = stored(place)
    with folder() as run:
        said = context.native(PROGRAM, "write", "mlflow", f"tracking_uri={uri}", run, str(rows))["write"]
    arrived = stored(place) - before
    if arrived != said["points"]:
        raise RuntimeError(f"of {said['points']} points {arrived} arrived before finish() ended")
    return said


def theirs(context, python, uri: str, rows: int) -> dict:
    with folder() as home:
        said = subprocess.run([python, context.root / "bench/peers/mlflow_http.py", home, str(rows)], env={**SILENT, "HOME": home, "MLFLOW_TRACKING_URI": uri}, cwd=home, check=True,
                              capture_output=True, text=True)
    return json.loads(said.stdout.strip().splitlines()[-1])


def writing(context, python) -> list:
    with folder() as made:
        place = Path(made)
        with server(python, place) as uri:
            # A server needs several times as long for each of its first tens of requests, which is nobody's; and who comes second must not always be the same.
            theirs(context, python, uri, 2 * LARGE)
            rounds = []
            for number in range(2 if context.quick else 4):
                measure = {"mine": lambda rows: ours(context, place, uri, rows), "client": lambda rows: theirs(context, python, uri, rows)}
                said = {}
                for who in sorted(measure, reverse=number % 2 == 0):
                    said[who] = measure[who](SMALL), measure[who](LARGE)
                mine, client = said["mine"], said["client"]
                rounds.append({"cpu": slope(*mine, "cpu_s") * 1e6, "their_cpu": slope(*client, "cpu_s") * 1e6, "rate": 1 / slope(*mine, "wall_s"), "their_rate": 1 / slope(*client, "wall_s")})
    cpu, their_cpu, rate, their_rate = (median_of(rounds, name) for name in ("cpu", "their_cpu", "rate", "their_rate"))
    return [beside("trk.mlflow_client_cpu", "us", cpu, "MlflowClient", their_cpu, their_cpu / cpu), beside("trk.mlflow_rate", "points/s", rate, "MlflowClient", their_rate, rate / their_rate)]


def reading(context, python) -> list:
    with folder() as place:
        subprocess.run([python, context.root / "bench/peers/mlflow_sqlite.py", place, str(READ)], env={**SILENT, "HOME": place}, cwd=place, check=True, capture_output=True)
        mine = read_by_us(context, f"{place}/mlflow.db")
        said = subprocess.run([python, context.root / "bench/peers/mlflow_read.py", f"{place}/mlflow.db"], env={**SILENT, "HOME": place}, cwd=place, check=True, capture_output=True, text=True)
    other = json.loads(said.stdout.strip().splitlines()[-1])
    if (mine["points"], other["points"]) != (READ * WIDTH, READ * WIDTH):
        raise RuntimeError(f"of {READ * WIDTH} points we read {mine['points']}, the client {other['points']}")
    a_point = mine["cpu_s"] / mine["points"]
    return [beside("trk.mlflow_read", "us", a_point * 1e6, "MlflowClient", other["cpu_s"] / other["points"] * 1e6, other["cpu_s"] / other["points"] / a_point)]


def run(context) -> list:
    python, rows = context.venv("bench"), []
    for names, measure in ((("trk.mlflow_client_cpu", "trk.mlflow_rate"), writing), (("trk.mlflow_read",), reading)):
        try:
            rows += measure(context, python)
        except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
            rows += missed(names, error)
    return rows
