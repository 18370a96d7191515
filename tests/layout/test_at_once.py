"""A failed test is told of while the run goes on: the test behind it waits until somebody has heard of it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTING = ROOT / "scripts" / "testing"
sys.path.insert(0, str(TESTING))

import at_once  # noqa: E402

WAIT = "for i in $(seq 600); do [ -e heard ] && exit 0; sleep 0.1; done; exit 1"


def heard_while_running(command: list, folder: Path, **options) -> tuple[str, int]:
    """Reads until the first failure is told, lets the waiting test go on, and reads the rest."""
    running = subprocess.Popen([str(part) for part in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    said = ""
    for line in running.stdout:
        said += line
        if "the broken expectation" in line:
            (folder / "heard").touch()
    return said, running.wait()


def test_finding_f08_ctest(tmp_path):
    (tmp_path / "CTestTestfile.cmake").write_text(
        'add_test(bad "bash" "-c" "echo long before; echo the broken expectation; exit 1")\nadd_test(good "true")\n'
        f'add_test(waits "bash" "-c" [[{WAIT}]])\n')
    told = []

    def tell(name, lines):
        told.append((name, lines))
        (tmp_path / "heard").touch()

    running = subprocess.Popen(["ctest", "--output-on-failure", "--test-dir", tmp_path, "-j", "1"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    at_once.ctest_failures(running.stdout, tell)
    assert running.wait() != 0
    assert [name for name, _ in told] == ["bad"], "the test that waited for these words passed"
    assert "the broken expectation" in told[0][1]


def test_finding_f08_ctest_tells_of_tests_that_take_too_long_or_crash(capsys, monkeypatch):
    monkeypatch.setattr(at_once, "shown", None)  # this run's own
    said = ["Test project /somewhere\n", "    Start 1: one\n", "1/4 Test #1: one ...***Timeout   2.01 sec\n", "half a line\n", "    Start 2: two\n",
            "2/4 Test #2: two ...***Exception: SegFault  0.1 sec\n", "    Start 3: three\n", "3/4 Test #3: three ...***Skipped   0.0 sec\n", "why\n",
            "4/4 Test #4: four ...   Passed    0.0 sec\n", "50% tests passed, 2 tests failed out of 4\n"]
    at_once.ctest_failures(iter(said))
    assert capsys.readouterr().out == "FAILED one\n    half a line\nFAILED two\n"


def test_finding_f08_pytest(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pathlib, time\ndef test_bad():\n    assert False, 'the broken expectation'\n"
        "def test_waits():\n    for _ in range(600):\n        if pathlib.Path('heard').exists(): return\n        time.sleep(0.1)\n    assert False, 'nobody heard'\n")
    said, status = heard_while_running([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "at_once", "test_it.py"], tmp_path,
                                       env={"PYTHONPATH": str(TESTING), "PATH": "/usr/bin:/bin"})
    assert status == 1 and "1 failed, 1 passed" in said and "FAILED test_it.py::test_bad" in said, said


def test_finding_f08_node(tmp_path):
    (tmp_path / "it.test.mjs").write_text(
        'import { test } from "node:test"; import { existsSync } from "node:fs";\n'
        'test("bad", () => { throw new Error("the broken expectation"); });\n'
        'test("waits", async () => { for (let i = 0; i < 600; ++i) { if (existsSync("heard")) return; await new Promise((r) => setTimeout(r, 100)); } throw new Error("nobody heard"); });\n')
    said, status = heard_while_running(["node", "--test", f"--test-reporter={TESTING / 'at_once.mjs'}", "--test-reporter-destination=stdout", "it.test.mjs"], tmp_path)
    assert status == 1 and said.startswith("FAILED bad\n    Error: the broken expectation") and "nobody heard" not in said, said
