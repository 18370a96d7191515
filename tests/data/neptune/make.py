"""Makes exported.parquet's folder: python make.py TARGET, with pyarrow.

The columns and the tree are those of neptune-exporter (data/<project>/<run>_part_<n>.parquet, files/<project>/…), which is on no package index; it
writes with this library and this packing. `rows` also serves the interop tests.
"""

import sys
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PROJECT, RUN = "workspace_demo-0123456789abcdef", "RUN-1-fedcba9876543210"
UTC = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=timezone.utc)
SCHEMA = pa.schema([
    ("project_id", pa.string()), ("run_id", pa.string()), ("attribute_path", pa.string()), ("attribute_type", pa.string()),
    ("step", pa.decimal128(18, 6)), ("timestamp", pa.timestamp("ms", tz="UTC")), ("int_value", pa.int64()), ("float_value", pa.float64()),
    ("string_value", pa.string()), ("bool_value", pa.bool_()), ("datetime_value", pa.timestamp("ms", tz="UTC")),
    ("string_set_value", pa.list_(pa.string())), ("file_value", pa.struct([("path", pa.string())])),
    ("histogram_value", pa.struct([("type", pa.string()), ("edges", pa.list_(pa.float64())), ("values", pa.list_(pa.float64()))])),
])


def row(path: str, kind: str, step=None, **value) -> dict:
    filled = {"project_id": "workspace/demo", "run_id": "RUN-1", "attribute_path": path, "attribute_type": kind,
              "step": None if step is None else Decimal(step).quantize(Decimal("1.000000")), "timestamp": UTC if kind.endswith("series") else None}
    return {**dict.fromkeys(SCHEMA.names), **filled, **value}


def parameters() -> list[dict]:
    return [
        row("sys/name", "string", string_value="nice"), row("sys/description", "string", string_value="hello"), row("sys/failed", "bool", bool_value=True),
        row("sys/creation_time", "datetime", datetime_value=UTC), row("sys/tags", "string_set", string_set_value=["a", "b", "ünïcode ✓"]),
        row("lr", "float", float_value=0.1), row("opt/layers", "int", int_value=-3), row("opt/name", "string", string_value="adam"),
        row("flag", "bool", bool_value=False), row("absent", "float"), row("kinds", "string_set", string_set_value=["x", "y"]),
        row("files/notes", "file", file_value={"path": "RUN-1/notes.txt"}), row("files/gone", "file", file_value={"path": "RUN-1/gone.bin"}),
    ]


def series(first: int, end: int) -> list[dict]:
    rows = [row("train/loss", "float_series", step, float_value=1 / (step + 1)) for step in range(first, end)]
    return rows + [row("half", "float_series", Decimal(step) / 2, float_value=float("nan") if step == 3 else step * 1e300) for step in range(first, end)]


def rest() -> list[dict]:
    return [
        row("text", "string_series", 4, string_value="hello"), row("monitoring/x/stdout", "string_series", 0, string_value="a line of output"),
        row("hist", "histogram_series", 4, histogram_value={"type": "COUNTING", "edges": [1.0, 2.0, 4.0], "values": [3.0, 4.0]}),
        row("dense", "histogram_series", 4, histogram_value={"type": "DENSITY", "edges": [0.0, 2.0, 4.0], "values": [0.25, 0.25]}),
        row("steps", "file_series", 1, file_value={"path": "RUN-1/notes.txt"}),
    ]


def write(target: Path, parts: list[list[dict]], **how) -> None:
    folder, files = target / "data" / PROJECT, target / "files" / PROJECT / "RUN-1"
    folder.mkdir(parents=True, exist_ok=True)
    files.mkdir(parents=True, exist_ok=True)
    (files / "notes.txt").write_text("a note")
    for number, rows in enumerate(parts):
        with pq.ParquetWriter(folder / f"{RUN}_part_{number}.parquet", SCHEMA, **{"compression": "snappy", **how}) as writer:
            for some in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                writer.write_batch(pa.RecordBatch.from_pylist(some, schema=SCHEMA))


if __name__ == "__main__":
    write(Path(sys.argv[1]), [parameters() + series(0, 30), series(30, 50) + rest()])
