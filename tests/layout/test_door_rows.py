"""The front door's figures: several scripts write build/bench/door.json, and a run is called cold or warm only if it was."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "testing")]

import caches  # noqa: E402
import peers  # noqa: E402
from bench.door import rows  # noqa: E402


def test_finding_f04_each_script_replaces_its_own_row_and_keeps_the_others(tmp_path):
    rows.write_row(tmp_path, {"id": "door.test_warm_min", "value": 14.0, "unit": "min"})
    rows.write_row(tmp_path, {"id": "door.test_cold_min", "value": 51.0, "unit": "min"})
    rows.write_row(tmp_path, {"id": "door.test_warm_min", "value": 13.0, "unit": "min"})
    written = {row["id"]: row for row in json.loads(rows.path_of(tmp_path).read_text())}
    assert written["door.test_warm_min"]["value"] == 13 and written["door.test_warm_min"]["met"] is True
    assert written["door.test_cold_min"]["met"] is False
    assert written["door.demo_cold_min"]["met"] is False and written["door.demo_cold_min"]["reason"] == "not measured"


EVERY = set(peers.FAMILIES) - peers.FULL_ONLY


@pytest.mark.parametrize("compiled, environments, hits, misses, kind", [
    (0, set(), 0, 900, "cold"),
    (0, EVERY, 0, 900, None),
    (900, set(), 900, 0, None),
    (900, EVERY, 900, 10, "warm"),
    (900, EVERY, 500, 400, None),
    (900, EVERY, 0, 0, "warm"),
])
def test_finding_f04_a_run_is_cold_or_warm_only_if_it_was(monkeypatch, tmp_path, compiled, environments, hits, misses, kind):
    counts = iter([(1000, 1000), (1000 + hits, 1000 + misses)])
    monkeypatch.setattr(caches, "compiled_files", lambda: compiled)
    monkeypatch.setattr(caches, "compiler_counts", lambda: next(counts))
    monkeypatch.setenv("TAFFRAIL_CACHE", str(tmp_path))
    for name in environments:
        (tmp_path / "venv" / name).mkdir(parents=True)
        (tmp_path / "venv" / name / "requirements.txt").touch()
    assert caches.Caches().kind() == kind


def test_finding_f04_the_real_compiler_cache_is_counted():
    hits, misses = caches.compiler_counts()
    assert hits >= 0 and misses >= 0 and caches.compiled_files() >= 0
