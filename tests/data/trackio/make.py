"""Makes the samples of this folder: python make.py VERSION TARGET with that version of Trackio installed, of before 0.24, when runs had no ids.

A project with two runs and its media, packed as TARGET/VERSION.tar.xz; expected.json is what its own storage says of them.
"""

import json
import math
import os
import shutil
import sqlite3
import sys
import tarfile
from pathlib import Path

version, target = sys.argv[1], Path(sys.argv[2]).resolve() / f"{sys.argv[1]}.tar.xz"
place = Path("/tmp/trackio-eras")
shutil.rmtree(place, ignore_errors=True)
(place / "home").mkdir(parents=True)
os.environ.update({"TRACKIO_DIR": str(place / "projects"), "HF_HOME": str(place / "home"), "HF_HUB_OFFLINE": "1", "GRADIO_ANALYTICS_ENABLED": "0", "LOGNAME": "someone"})

import numpy as np
import trackio
import trackio.utils
from trackio.sqlite_storage import SQLiteStorage

assert trackio.__version__ == version, trackio.__version__
kinds = {"said": "text"}
trackio.init(project="eras", name="a run", config={"lr": 0.5, "opt": {"name": "adam"}})
for step in range(40):
    trackio.log({"loss": 1 / (step + 1), "count": step})
# Before there were words for them they cost the whole batch.
for value in (math.nan, math.inf, -math.inf) if hasattr(trackio.utils, "serialize_values") else ():
    trackio.log({"odd": value})
trackio.log({"said": "words", "nested": {"a": 1.5}})
if hasattr(trackio, "Image"):
    trackio.log({"picture": trackio.Image(np.zeros((3, 4, 3), dtype=np.uint8), caption="dark")})
    kinds["picture"] = "image"
if hasattr(trackio, "Table"):
    import pandas

    trackio.log({"table": trackio.Table(dataframe=pandas.DataFrame({"x": [1, 2], "y": ["a", "b"]}))})
    kinds["table"] = "table"
trackio.finish()
trackio.init(project="eras", name="second")
trackio.log({"loss": 7.0})
trackio.finish()

read = getattr(SQLiteStorage, "get_logs", None) or SQLiteStorage.get_metrics
expected = {}
for run in SQLiteStorage.get_runs("eras"):
    series = {}
    for row in read("eras", run):
        step = row.pop("step")
        for key, value in row.items():
            if isinstance(value, (bool, int, float)):
                series.setdefault(key, []).append([step, repr(float(value))])
    config = SQLiteStorage.get_run_config("eras", run) if hasattr(SQLiteStorage, "get_run_config") else None
    flat = {f"{name}/{inner}" if isinstance(value, dict) else name: part for name, value in (config or {}).items() if not name.startswith("_")
            for inner, part in (value.items() if isinstance(value, dict) else [("", value)])}
    expected[run] = {"series": series, "config": flat, "kinds": kinds if run == "a run" else {}}

kept = place / "kept"
kept.mkdir()
found = next(path for folder in (place / "projects", place / "home" / "trackio") if folder.exists() for path in folder.glob("*.db"))
with sqlite3.connect(found) as database:
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
database.close()
shutil.copy(found, kept / "eras.db")
if (found.parent / "media").exists():
    shutil.copytree(found.parent / "media", kept / "media")
(kept / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


def nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


with tarfile.open(target, "w:xz") as packed:
    packed.add(kept, version, filter=nobody)
shutil.rmtree(place)
os._exit(0)  # its servers would hold the program
