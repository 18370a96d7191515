"""Which jobs of ./scripts/test begin when, and what the runner tells of them."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "testing"))

import stages  # noqa: E402
from context import Context  # noqa: E402
from counting import Counts, one  # noqa: E402
from jobs import BUILD, INSTALL, Job, Schedule  # noqa: E402
from runner import Runner  # noqa: E402


def job(name, work=lambda context: one(True, "it"), **options):
    options["needs"] = frozenset(f"s:{needed}" for needed in options.pop("needs", ()))
    return Job(options.pop("stage", "s"), name, work, **options)


def begun(schedule):
    names = []
    while started := schedule.start():
        names.append(started.name)
    return names


def end(schedule, name, passed=True):
    return [dropped.name for dropped in schedule.end(next(job for job in schedule.running if job.name == name), passed)]


def test_the_longest_way_is_begun_first_and_no_more_than_there_are_cores():
    schedule = Schedule([job("short", minutes=1), job("long", minutes=3), job("first", minutes=1), job("behind", minutes=4, needs=["first"])], 2)
    assert begun(schedule) == ["first", "long"]
    assert end(schedule, "first") == [] and begun(schedule) == ["behind"]
    end(schedule, "long")
    assert begun(schedule) == ["short"]


def test_what_takes_two_cores_waits_for_both():
    schedule = Schedule([job("two", cores=2, minutes=2), job("one", minutes=3), job("other", minutes=1)], 2)
    assert begun(schedule) == ["one", "other"]
    end(schedule, "one")
    assert begun(schedule) == []
    end(schedule, "other")
    assert begun(schedule) == ["two"]


def test_on_one_core_everything_still_runs():
    schedule = Schedule([job("two", cores=2), job("one")], 1)
    assert begun(schedule) == ["two"]
    end(schedule, "two")
    assert begun(schedule) == ["one"]


def test_builds_and_installing_take_no_core_of_a_test():
    jobs = [job(f"build {i}", lane=BUILD, minutes=9 - i) for i in range(3)] + [job(f"peers {i}", lane=INSTALL) for i in range(2)] + [job(f"test {i}") for i in range(3)]
    assert begun(Schedule(jobs, 2)) == ["build 0", "build 1", "peers 0", "test 0", "test 1"]


def test_what_measures_times_has_the_machine_to_itself():
    schedule = Schedule([job("measured", alone=True, minutes=9), job("also", alone=True, minutes=8), job("build", lane=BUILD), job("behind", needs=["build"]),
                         job("table", last=True)], 2)
    assert begun(schedule) == ["build"]
    end(schedule, "build")
    assert begun(schedule) == ["behind"], "a build behind which a test waits is not the end"
    end(schedule, "behind")
    assert begun(schedule) == ["measured"]
    end(schedule, "measured")
    assert begun(schedule) == ["also"]
    end(schedule, "also")
    assert begun(schedule) == ["table"]


def test_a_failure_stops_only_what_needs_it():
    schedule = Schedule([job("build", lane=BUILD), job("tests", needs=["build"]), job("more", needs=["tests"]), job("other", lane=INSTALL), job("apart")], 1)
    assert begun(schedule) == ["build", "other", "apart"]
    assert end(schedule, "build", passed=False) == ["tests", "more"]
    assert end(schedule, "apart", passed=False) == [] and not schedule.waiting


def test_where_the_build_fails_there_is_nothing_to_test():
    schedule = Schedule([job("build", vital=True), job("tests", needs=["build"]), job("apart"), job("table", last=True)], 1)
    assert begun(schedule) == ["build"]
    assert end(schedule, "build", passed=False) == ["tests", "apart", "table"]


def test_what_takes_no_part_is_not_waited_for():
    assert begun(Schedule([job("tests", needs=["build"])], 1)) == ["tests"]


@pytest.mark.parametrize("full", [False, True])
def test_every_stage_lists_jobs_whose_needs_exist(full):
    jobs = [job for stage in stages.STAGES.values() for job in stage(Context(root=ROOT, full=full))]
    keys = {job.key for job in jobs}
    assert len(keys) == len(jobs) and {job.stage for job in jobs} == set(stages.STAGES)
    for each in jobs:
        assert each.needs <= keys, f"{each.key} needs {sorted(each.needs - keys)}"


def test_every_folder_of_interop_and_every_file_of_the_browser_is_a_job():
    names = {job.name.split()[0] for job in stages.interop(Context(root=ROOT))}
    assert names == {path.name for path in (ROOT / "tests/interop").iterdir() if path.is_dir() and list(path.glob("test_*.py"))}
    assert {job.name for job in stages.browser(Context(root=ROOT)) if not job.name.endswith("-times")} == {path.name.removesuffix(".test.mjs") for path in (ROOT / "tests/e2e").glob("*.test.mjs")}


def test_what_measures_times_is_left_to_a_job_that_runs_alone(tmp_path):
    """Of a file of browser tests every test is in one of the two, none in both."""
    text = (ROOT / "tests/e2e/measured.mjs").read_text()
    measured = re.findall(r'^  "(.+)",$', text, re.M)
    (tmp_path / "measured.mjs").write_text(text)
    (tmp_path / "some.test.mjs").write_text(f'import {{ test }} from "./measured.mjs";\ntest("plain", () => {{}});\ntest("{measured[0]} or so", () => {{}});\n')
    names = {}
    for times in ("", "none", "only"):
        command = ["node", "--test", "--test-reporter=tap", tmp_path / "some.test.mjs"]
        said = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"], "TAFFRAIL_E2E_TIMES": times}).stdout
        names[times] = [name for name in ("plain", f"{measured[0]} or so") if f" - {name}\n" in said]
    assert names == {"": ["plain", f"{measured[0]} or so"], "none": ["plain"], "only": [f"{measured[0]} or so"]}
    alone = {job.key for stage in stages.STAGES.values() for job in stage(Context(root=ROOT)) if job.alone}
    assert {"browser:scale", "browser:live-times", "browser:media-times", "browser:access-times", "interop:media load, alone", "interop:server api, alone"} <= alone


def test_every_browser_test_that_is_called_measured_exists():
    text = "".join(path.read_text() for path in (ROOT / "tests/e2e").glob("*.test.mjs") if '"./measured.mjs"' in path.read_text())
    for title in re.findall(r'^  "(.+)",$', (ROOT / "tests/e2e/measured.mjs").read_text(), re.M):
        assert text.count(f'test("{title}') == 1, title


def run(jobs, tmp_path, cores=2):
    said = []
    runner = Runner(jobs, Context(root=tmp_path), cores=cores, say=said.append)
    return runner, runner.run(), said


def test_the_words_of_a_stage_stay_together(tmp_path):
    """Two jobs that write by turns, each waiting for the other: what they wrote is not mixed."""
    script = "import pathlib, time\nfor i in range(3):\n    print('{me}', i, flush=True); pathlib.Path(f'{me}{{i}}').touch()\n" \
             "    while not pathlib.Path(f'{other}{{i}}').exists(): time.sleep(0.01)\n"

    def writes(me, other):
        return lambda context: one(context.run(sys.executable, "-c", script.format(me=me, other=other), timeout=60) == 0, me)

    _, stages_, said = run([job("x", writes("a", "b"), stage="first"), job("y", writes("b", "a"), stage="second")], tmp_path)
    text = "\n".join(said)
    assert "a 0\na 1\na 2\n--- first: 1 passed" in text and "b 0\nb 1\nb 2\n--- second: 1 passed" in text, text
    assert {name: ended.counts.passed for name, ended in stages_.items()} == {"first": 1, "second": 1}


def test_a_stage_adds_up_its_jobs_and_their_processor_time(tmp_path):
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    runner, stages_, _ = run([job(name, lambda context: Counts(passed=2, failed=context.run(sys.executable, "-c", burn))) for name in "abc"], tmp_path)
    assert stages_["s"].counts.passed == 6 and stages_["s"].counts.failed == 0
    assert stages_["s"].processor_minutes >= 0.9 / 60 and set(runner.jobs) == {"s:a", "s:b", "s:c"}


def test_a_job_that_breaks_is_a_failure_and_those_that_need_it_are_named(tmp_path):
    def breaks(context):
        raise OSError("no such thing")

    _, stages_, said = run([job("bad", breaks), job("behind", needs=["bad"]), job("apart")], tmp_path)
    assert (stages_["s"].counts.passed, stages_["s"].counts.failed) == (1, 1) and stages_["s"].counts.failures == ["s:bad: no such thing"]
    assert any("s, behind: not run, since s, bad failed" in line for line in said), said


def test_a_stage_whose_build_failed_is_told_once(tmp_path):
    def fails(context):
        context.say("an error of the compiler")
        return one(False, "build")

    _, stages_, said = run([job("build", fails, lane=BUILD), job("tests", needs=["build"]), job("more", needs=["build"])], tmp_path)
    assert "\n".join(said).count("an error of the compiler") == 1 and "\n".join(said).count("--- s: 0 passed, 1 failed") == 1, said
    assert stages_["s"].counts.failures == ["build"]


def test_a_failed_build_ends_what_runs_beside_it(tmp_path):
    beside = threading.Event()

    def waits(context):
        running = context.start(sys.executable, "-c", "import time; time.sleep(3600)")
        beside.set()
        return one(context.wait(running) == 0, "beside")

    def fails(context):
        assert beside.wait(60)
        return one(False, "build")

    _, stages_, said = run([job("build", fails, vital=True, lane=BUILD), job("beside", waits), job("behind", needs=["build"])], tmp_path)
    assert stages_["s"].counts.failed == 1 and stages_["s"].counts.passed == 0 and stages_["s"].counts.failures == ["build"]
    assert any("s, beside: ended" in line for line in said), said


def test_who_ends_the_runner_ends_what_it_started(tmp_path):
    script = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "scripts/testing")!r})
from context import Context
from jobs import Job
from runner import Runner

def waits(context):
    running = context.start("sleep", "3600")
    print(running.pid, flush=True)
    context.wait(running)

import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
Runner([Job("s", "it", waits)], Context(root=Path({str(tmp_path)!r}))).run()
"""
    running = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    started = int(running.stdout.readline())
    running.send_signal(signal.SIGINT)
    assert running.wait(60) != 0
    for _ in range(600):  # nobody here is its parent; in a container, perhaps nobody at all takes it away
        try:
            if Path(f"/proc/{started}/stat").read_text().rsplit(") ", 1)[1].startswith("Z"):
                return
        except FileNotFoundError:
            return
        time.sleep(0.1)
    raise AssertionError("what it started is still there")


def test_a_command_past_its_time_is_ended(tmp_path):
    _, stages_, said = run([job("slow", lambda context: one(context.run("sleep", "3600", timeout=0.2) == 0, "slow"))], tmp_path)
    assert stages_["s"].counts.failed == 1 and "sleep took longer than 0.2 s and was ended" in "\n".join(said)


def test_parts_of_ctest_are_every_test_once(tmp_path):
    folder = tmp_path / "build" / "some"
    folder.mkdir(parents=True)
    (folder / "CTestTestfile.cmake").write_text("".join(
        f'add_test(t{i} "true")\nset_tests_properties(t{i} PROPERTIES LABELS {"unit" if i % 3 else "other"})\n' for i in range(20)))
    context = Context(root=tmp_path)
    names = [name for i in (1, 2, 3) for name in context.ctest("some", "unit", part=(i, 3)).names]
    assert sorted(names) == sorted(f"t{i}" for i in range(20) if i % 3)
    assert not context.ctest("some", "none").failed


def test_finding_f08_a_failure_is_shown_while_the_words_of_its_stage_are_kept(tmp_path):
    """A whole runner in a process of its own: the test that waits goes on only when the failure was read from outside."""
    (tmp_path / "test_it.py").write_text(
        "import pathlib, time\ndef test_bad():\n    assert False, 'the broken expectation'\n"
        "def test_waits():\n    for _ in range(600):\n        if pathlib.Path('heard').exists(): return\n        time.sleep(0.1)\n    assert False, 'nobody heard'\n")
    script = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "scripts/testing")!r})
import peers
peers.installed, peers.interpreter = lambda family: True, lambda family: Path(sys.executable)
from context import Context
from jobs import Job
from runner import Runner
Runner([Job("s", "it", lambda context: context.pytest("tests", "test_it.py"))], Context(root=Path({str(tmp_path)!r}))).run()
"""
    running = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]})
    said = ""
    for line in running.stdout:
        said += line
        if "the broken expectation" in line:
            (tmp_path / "heard").touch()
    assert running.wait() == 0
    assert said.startswith("FAILED test_it.py::test_bad") and "s, it: 1 passed, 1 failed" in said and "nobody heard" not in said, said
