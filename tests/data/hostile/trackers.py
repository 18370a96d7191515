"""What somebody hostile could hand out as left behind by a tracker; part of make.py. One folder for each source."""

import json
import os
import shutil
import sqlite3
import struct
import zipfile
import zlib
from pathlib import Path

FAR = "../" * 12
STRANGE = "\x1b]0;owned\x07\x1b[2J name"


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def message(field: int, *parts) -> bytes:
    body = b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def item(path: list, json: str) -> bytes:
    return message(1, *[message(2, part) for part in path], message(16, json))


def wandb(base: Path, outside: Path) -> None:
    """Media that lie elsewhere, behind links and pipes; a name that controls terminals; names as deep as they go."""
    folder = base / "logdir-wandb" / "offline-run-20260301_120000-x"
    media = folder / "files" / "media"
    media.mkdir(parents=True)
    (media / "link.png").symlink_to(outside / "key.txt")
    (media / "zero.png").symlink_to("/dev/zero")
    os.mkfifo(media / "pipe.png")
    (media / "table.json").write_text('{"columns": ["a"], "data": [' + "[1]," * 50_000 + "[1]]}")
    rows = []
    for step, place in enumerate([FAR + str(outside / "key.txt"), str(outside / "key.txt"), "media/link.png", "media/zero.png", "media/pipe.png", "/dev/zero"]):
        fields = {"_type": '"image-file"', "path": '"' + place + '"', "sha256": '"0"', "size": "1", "width": "99999999", "height": "99999999"}
        rows.append(message(2, *[item(["image", name], value) for name, value in fields.items()], item(["_step"], str(step))))
    rows.append(message(2, item(["table"], '{"_type": "table-file", "path": "media/table.json", "ncols": 1, "nrows": 99999999999}'), item(["_step"], "7")))
    rows.append(message(2, item(["deep"] * 20_000, "1"), item(["hist"], '{"_type": "histogram", "packedBins": {"min": 0, "size": 1e-300, "count": 4000000000}, "values": [1]}')))
    artifact = message(8, message(1, "r"), message(4, "t"), message(5, "a"), message(12, message(4, message(1, FAR + "x"), message(6, str(outside / "key.txt")))))
    run = message(17, message(1, FAR + "outside"), message(8, STRANGE), message(3, FAR))
    records = [run, message(6, message(1, message(1, FAR + str(outside / "key.txt")))), *rows, artifact, message(18, number(1, 0))]
    data = b":W&B\xe1\xbe\x00"
    for record in records:
        if len(data) % 32768 + 7 + len(record) > 32768:
            data += bytes(32768 - len(data) % 32768)
        record = record[:32760]
        data += struct.pack("<IHB", zlib.crc32(b"\x01" + record), len(record), 1) + record
    (folder / "run-x.wandb").write_bytes(data)
    (folder / "run-y.wandb").symlink_to("/dev/zero")
    os.mkfifo(folder / "run-z.wandb")


def mlflow_files(base: Path, outside: Path, picture: bytes) -> None:
    """A file store with links and pipes in every place."""
    run = base / "logdir-mlflow" / "1" / "r"
    for inside in ("metrics", "params", "tags", "artifacts/images"):
        (run / inside).mkdir(parents=True)
    (base / "logdir-mlflow/1/meta.yaml").write_text("experiment_id: '1'\nname: x\n")
    (run / "meta.yaml").write_text(f"run_id: r\nrun_name: \"{STRANGE}\"\nstatus: 3\nartifact_uri: file://{outside}\nstart_time: 9223372036854775807\n")
    for inside in ("metrics", "params", "tags", "artifacts", "artifacts/images"):
        (run / inside / "zero").symlink_to("/dev/zero")
        (run / inside / "out").symlink_to(outside / "key.txt")
        (run / inside / "folder").symlink_to(outside)
        (run / inside / "self").symlink_to(".")
        os.mkfifo(run / inside / "pipe")
    (run / "metrics/loss").write_text("1 0.5 1\n" * 10 + "x" * 100_000 + "\n1 1e999 99999999999999999999\n")
    (run / "artifacts/images/image+step+1+timestamp+1+u.png").write_bytes(picture)
    (run / "artifacts/images/image+step+2+timestamp+1+u.png").symlink_to(outside / "key.txt")


def mlflow_database(base: Path, outside: Path) -> None:
    """A database whose tables are endless queries, and one whose journal is a pipe."""
    folder = base / "logdir-mlflow-database"
    (folder / "mlruns/1").mkdir(parents=True)
    (folder / "mlartifacts").symlink_to(outside)
    (folder / "mlruns/1/r").symlink_to(outside)
    with sqlite3.connect(folder / "mlflow.db") as database:
        database.executescript("""
            CREATE TABLE experiments(experiment_id, name); CREATE TABLE metrics(key, value, timestamp, step, is_nan, run_uuid);
            CREATE TABLE runs(run_uuid, name, status, start_time, end_time, artifact_uri, lifecycle_stage, experiment_id);
            CREATE VIEW tags AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS key, x AS value, 'r' AS run_uuid FROM c;
            CREATE TABLE params(key, value AS (hex(zeroblob(140000000))), run_uuid);
            INSERT INTO experiments VALUES (1, '../../x');
            INSERT INTO metrics VALUES ('loss', 'text', 'x', 9e99, 0, 'r'), (x'ff00', x'00', -1, NULL, 0, 'r'), ('loss', 1e999, 1, 1, 0, 'r');
            INSERT INTO params(key, run_uuid) VALUES ('lr', 'r');""")
        database.execute("INSERT INTO runs VALUES ('r', ?, 'FINISHED', 9223372036854775807, -5, ?, 'active', 1)", (STRANGE, f"x:/{outside}/1/r/artifacts"))
    database.close()
    piped = base / "logdir-mlflow-pipes"
    piped.mkdir()
    shutil.copy(folder / "mlflow.db", piped)
    os.mkfifo(piped / "mlflow.db-journal")
    os.mkfifo(piped / "mlflow.db-wal")


MESSAGES = "".join(f'{{"type": "file_upload", "payload": {{"file_path": "{place}", "upload_type": "asset", "additional_params": {{"fileName": "{place}", "step": 1, '
                   '"context": null}, "metadata": null}}\n' for place in (FAR + "outside/key.txt", "/dev/zero", "link", "pipe", "zero", "here")) + "[" * 100_000 + "\n"
EXPERIMENT = '{"offline_id": "../../outside", "project_name": "../x", "workspace": null, "start_time": 1, "stop_time": 2, "tags": ["\\u001b[2J"]}'


def comet(base: Path, outside: Path) -> None:
    folder = base / "logdir-comet"
    folder.mkdir(parents=True)
    (folder / "experiment.json").write_text(EXPERIMENT)
    (folder / "messages.json").write_text(MESSAGES)
    (folder / "here").write_text("a file")
    (folder / "link").symlink_to(outside / "key.txt")
    (folder / "zero").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    archives = base / "logdir-comet-archive"
    archives.mkdir()
    with zipfile.ZipFile(archives / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(zipfile.ZipInfo("experiment.json", (2026, 1, 1, 0, 0, 0)), EXPERIMENT)
        packed.writestr(zipfile.ZipInfo(FAR + "outside/made", (2026, 1, 1, 0, 0, 0)), "made")
        info = zipfile.ZipInfo("messages.json", (2026, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        with packed.open(info, "w") as out:
            out.write(MESSAGES.encode())
            for _ in range(20):
                out.write(b" " * 1_000_000)  # 20 MB in 20 kB


def neptune(base: Path, outside: Path) -> None:
    folder = base / "logdir-neptune" / "log"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "link").symlink_to(outside / "key.txt")
    os.mkfifo(folder / "files" / "pipe")
    with sqlite3.connect(folder / "run_operations.sqlite3") as database:
        database.executescript("""
            CREATE TABLE run_operations(sequence_id INTEGER PRIMARY KEY, timestamp, operation_type, operation, operation_size_bytes);
            CREATE VIEW metadata AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'v5' AS version, 'p' AS project, max(x) AS run_id FROM c;
            CREATE TABLE file_upload_requests(source_path, destination);""")
        places = [str(outside / "key.txt"), FAR + "outside/key.txt", "/dev/zero", "files/link", "files/pipe", "x/.."]
        for at, place in enumerate(places):
            database.execute("INSERT INTO file_upload_requests VALUES (?, ?)", (place, f"d{at}"))
            reference = message(13, message(1, f"d{at}"), number(2, 2**60), message(3, "image/png"))
            update = message(1, number(1, at)) + message(8, message(1, f"image{at}"), message(2, reference))
            database.execute("INSERT INTO run_operations(timestamp, operation_type, operation) VALUES (1, 0, ?)", (update,))
        database.execute("INSERT INTO run_operations(timestamp, operation_type, operation) VALUES ('x', 0, zeroblob(1000))")
    database.close()
    export = base / "logdir-neptune-export"
    shutil.copytree(Path(__file__).parents[1] / "neptune" / "exports" / "data", export / "data")
    (outside / "RUN-1").mkdir()
    (outside / "RUN-1" / "notes.txt").write_text("precious\n")
    (export / "files").mkdir()
    (export / "files" / "workspace_demo-0123456789abcdef").symlink_to(outside)


def aim(base: Path, outside: Path) -> None:
    """Folders of RocksDB that are links, hold links, or whose first file is a pipe."""
    folder = base / "logdir-aim" / ".aim"
    for hash_ in ("a" * 24, "b" * 24):
        for tree in ("meta", "seqs"):
            (folder / tree / "chunks" / hash_).mkdir(parents=True)
    os.mkfifo(folder / "meta/chunks" / ("a" * 24) / "CURRENT")
    (folder / "meta/chunks" / ("b" * 24) / "CURRENT").symlink_to("/dev/zero")
    (folder / "meta/chunks" / ("c" * 24)).symlink_to(outside)
    (folder / "VERSION").write_text("1.3\n")
    with sqlite3.connect(folder / "run_metadata.sqlite") as database:
        database.executescript("CREATE TABLE run(id, hash, name); CREATE TABLE experiment(id, name); CREATE TABLE tag(id, name); CREATE TABLE run_tag(run_id, tag_id);")
        database.execute("INSERT INTO run VALUES (1, ?, ?)", (FAR + "outside", STRANGE))
    database.close()
    os.mkfifo(folder / "run_metadata.sqlite-journal")


def trackio(base: Path, outside: Path, picture: bytes) -> None:
    """Media and artifacts that lead out, tables that are endless queries, and a project whose journal is a pipe."""
    folder = base / "logdir-trackio"
    media = folder / "media" / "demo" / "r" / "0"
    media.mkdir(parents=True)
    (media / "here.png").write_bytes(picture)
    (media / "link.png").symlink_to(outside / "key.txt")
    (media / "zero.png").symlink_to("/dev/zero")
    os.mkfifo(media / "pipe.png")
    (folder / "artifacts").symlink_to(outside)
    places = [FAR + str(outside / "key.txt"), str(outside / "key.txt"), "demo/r/0/here.png", "demo/r/0/link.png", "demo/r/0/zero.png", "demo/r/0/pipe.png", "/dev/zero"]
    rows = [json.dumps({"image": {"_type": "trackio.image", "file_path": place, "caption": STRANGE}, "page": {"_type": "trackio.html", "file_path": place}}) for place in places]
    rows += ["[" * 100_000, '{"hist": {"_type": "trackio.histogram", "bins": [0, 1e308, -1e308], "values": [1e308, -1]}}', '{"a/../../b": 1, "": 2, "\\u001b[2J": 3, "x": 1e999}',
             '{"table": {"_type": "trackio.table", "_value": [' + ",".join(f'{{"{n}": 1}}' for n in range(1500)) + "]}}"]
    with sqlite3.connect(folder / "demo.db") as database:
        database.executescript("""
            CREATE TABLE metrics(id INTEGER PRIMARY KEY, run_id, timestamp, run_name, step, metrics, big AS (hex(zeroblob(140000000))));
            CREATE VIEW system_metrics AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'r' AS run_id, x AS timestamp, x AS run_name, '{}' AS metrics FROM c;
            CREATE TABLE configs(run_id, run_name, config AS (hex(zeroblob(140000000))), created_at);
            INSERT INTO configs(run_id, run_name, created_at) VALUES ('r', 'r', '9999-99-99T99:99:99');
            CREATE TABLE artifacts(id, name, type); CREATE TABLE artifact_versions(id, artifact_id, version, manifest, metadata, producer_run_id, created_at);""")
        for step, row in enumerate(rows):
            database.execute("INSERT INTO metrics(run_id, timestamp, run_name, step, metrics) VALUES ('r', ?, ?, ?, ?)", (f"2026-03-01T12:00:{step:02}+00:00", STRANGE, step, row))
        database.execute("INSERT INTO artifacts VALUES (1, ?, ?)", (FAR + "outside", FAR))
        database.execute("INSERT INTO artifact_versions VALUES (1, 1, -5, ?, '[]', 'r', 'x')", (json.dumps([{"path": FAR + "x", "digest": "a" * 64, "size": 2**60}]),))
    database.close()
    (outside / "demo/blobs/sha256/aa").mkdir(parents=True)
    (outside / "demo/blobs/sha256/aa" / ("a" * 64)).write_text("precious\n")
    (folder / "zero.db").symlink_to("/dev/zero")
    (folder / "out.db").symlink_to(outside / "key.txt")
    os.mkfifo(folder / "pipe.db")
    piped = base / "logdir-trackio-pipes"
    piped.mkdir()
    shutil.copy(folder / "demo.db", piped)
    os.mkfifo(piped / "demo.db-journal")
    os.mkfifo(piped / "demo.db-wal")


def make(base: Path, outside: Path, picture: bytes) -> None:
    wandb(base, outside)
    mlflow_files(base, outside, picture)
    mlflow_database(base, outside)
    comet(base, outside)
    neptune(base, outside)
    aim(base, outside)
    trackio(base, outside, picture)
