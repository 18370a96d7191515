"""Exports of Neptune runs, written by pyarrow in every packing it has, read by ours. TAFFRAIL_BUILD names the build folder (default: build/ci)."""

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/data/neptune"))

import make  # noqa: E402


def taffrail(*arguments, damaged: bool = True) -> str:
    """What it says; with what cannot be read a command ends with 1 after everything else."""
    program = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build/ci")) / "bin/taffrail"
    done = subprocess.run([program, *map(str, arguments)], timeout=120, capture_output=True, text=True)
    assert done.returncode == int(damaged), done.stdout + done.stderr
    return done.stdout if not damaged or done.stdout.startswith(("{", "[")) else done.stdout + done.stderr


def many(seed: int) -> tuple[list[dict], dict]:
    """Series of every length, with numbers that are none and texts that repeat; and what they must come back as."""
    chance, rows, expected = random.Random(seed), [], {}
    for number in range(8):
        key, points = f"key {number}/ü", []
        for step in sorted(chance.sample(range(100_000), chance.choice([1, 7, 300, 3000]))):
            points.append((step, chance.choice([chance.random(), math.nan, -math.inf, 5e-324, 1.0])))
        rows += [make.row(key, "float_series", step, float_value=value) for step, value in points]
        expected[key] = points
    rows += [make.row("words", "string_series", step, string_value="word" if step % 3 else f"word {step}") for step in range(500)]
    return rows, expected


PACKINGS = [{"compression": "snappy"}, {"compression": "gzip"}, {"compression": "zstd"}, {"compression": "none"}, {"data_page_version": "2.0"}, {"use_dictionary": False},
            {"version": "1.0"}, {"data_page_size": 300, "write_batch_size": 64}, {"data_page_version": "2.0", "use_dictionary": False, "compression": "gzip"},
            {"store_decimal_as_integer": True}, {"use_compliant_nested_type": False}]


@pytest.mark.parametrize("packing", PACKINGS, ids=lambda packing: " ".join(f"{name}={value}" for name, value in packing.items()))
def test_every_packing_gives_the_same_run(packing, tmp_path):
    rows, expected = many(7)
    make.write(tmp_path, [make.parameters() + rows[: len(rows) // 2], rows[len(rows) // 2 :]], **packing)
    shown = json.loads(taffrail("show", tmp_path, "--json"))
    run = shown["run"]
    assert (run["id"], run["name"], run["project"], run["state"], run["notes"]) == ("RUN-1", "nice", "workspace/demo", "failed", "hello")
    assert run["config"] == {"lr": 0.1, "opt/layers": -3, "opt/name": "adam", "flag": False, "kinds": "x, y"}
    kinds = {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert kinds["words"] == ("text", 500)
    read: dict = {}
    for line in taffrail("export", tmp_path, "--format", "jsonl").splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("kind") == "scalar":
            read.setdefault(row["key"], []).append((row["step"], float(row["value"])))
    assert read.keys() == expected.keys()
    for key, points in expected.items():
        assert [step for step, _ in read[key]] == [step for step, _ in points]
        assert all(mine == other or math.isnan(mine) and math.isnan(other) for (_, mine), (_, other) in zip(read[key], points)), key


def test_import_copies_once_and_names_what_is_gone(tmp_path):
    make.write(tmp_path / "exports", [make.parameters() + make.series(0, 10) + make.rest()])
    assert "files/gone" in taffrail("import", tmp_path / "exports", "--root", tmp_path / "root")
    taffrail("import", tmp_path / "exports", "--root", tmp_path / "root", damaged=False)
    (copy,) = (tmp_path / "root/runs").iterdir()
    before, after = (json.loads(taffrail("show", place, "--json", damaged=place is not copy)) for place in (tmp_path / "exports", copy))
    kinds = {key["key"]: (key["kind"], key["count"]) for key in after["keys"]}
    assert kinds == {key["key"]: (key["kind"], key["count"]) for key in before["keys"]}
    assert kinds["hist"] == ("histogram", 1) and kinds["files/notes"] == ("artifact", 1) and kinds["steps"] == ("artifact", 1)


def test_packing_that_is_not_read_is_named(tmp_path):
    make.write(tmp_path, [make.parameters()], compression="brotli")
    assert "write the file with Snappy" in taffrail("show", tmp_path)
