"""Zones, the decorator, and the advanced profiler beside cProfile."""

import asyncio
import cProfile
import gzip
import json
import pstats
import subprocess
import sys
import textwrap
import threading

import pytest
import taffrail
import taffrail.profile

SCRIPTS = {
    "recursion": "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nf(12)\n",
    "built-ins": "data = []\nfor i in range(200):\n    data.append(len(str(i)))\nsorted(data, key=lambda x: -x)\n",
    "generators": "def numbers():\n    for i in range(50):\n        yield i\ntotal = sum(numbers())\n",
    "exceptions": "def fails(i):\n    if i % 3 == 0:\n        raise ValueError(i)\nfor i in range(60):\n    try:\n        fails(i)\n    except ValueError:\n        pass\n",
    "classes": "class A:\n    def __init__(self, x):\n        self.x = x\n    @property\n    def twice(self):\n        return self.x * 2\n    def __eq__(self, other):\n        return self.x == other.x\n"
               "assert sum(A(i).twice for i in range(40)) == 1560 and A(1) == A(1)\n",
    "comprehensions": "table = {str(i): [j * i for j in range(5)] for i in range(30)}\nlist(map(lambda p: p[0].upper(), table.items()))\n",
}


def rows():
    return {row["name"]: row for row in taffrail.zone_rows()}


def test_zones_nest_and_count():
    taffrail.reset_zones()
    for _ in range(10):
        with taffrail.zone("outer"), taffrail.zone("inner"):
            taffrail.zone_value(2.0)
    assert rows()["outer"]["calls"] == rows()["inner"]["calls"] == 10 and rows()["inner"]["value_sum"] == 20
    assert rows()["outer"]["total"] >= rows()["inner"]["total"]
    assert [row["depth"] for row in taffrail.zone_tree() if row["name"] in ("outer", "inner")] == [0, 1]
    with pytest.raises(TypeError):
        taffrail.zone(3)


def test_the_module_is_the_decorator():
    taffrail.reset_zones()

    @taffrail.profile
    def plain(a, b=2):
        return a + b

    @taffrail.profile(name="renamed")
    def other():
        raise KeyError("inside")

    @taffrail.profile
    async def later():
        await asyncio.sleep(0)
        return 7

    @taffrail.profile
    def numbers():
        yield from range(3)

    class Model:
        @taffrail.profile
        def forward(self):
            return 1

        @taffrail.profile
        @staticmethod
        def helper():
            return 2

    assert plain(1) == 3 and plain.__name__ == "plain" and asyncio.run(later()) == 7 and list(numbers()) == [0, 1, 2]
    assert Model().forward() == 1 and Model.helper() == 2
    with pytest.raises(KeyError):
        other()
    named = {name.rpartition("<locals>.")[2]: row for name, row in rows().items()}
    assert {"plain", "renamed", "later", "numbers", "Model.forward", "Model.helper"} <= set(named) and named["later"]["span"] and not named["plain"]["span"]


def counts(stats):
    """Calls by function, without what starts and stops the profilers themselves."""
    ignored = ("_lsprof", "_profile", "disable", "profile.py", "_functions.py")
    return {label: entry[:2] for label, entry in stats.items() if not any(word in f"{label[0]} {label[2]}" for word in ignored)}


@pytest.mark.parametrize("name", SCRIPTS)
def test_counts_equal_those_of_cprofile(name, tmp_path):
    code = compile(SCRIPTS[name], str(tmp_path / "script.py"), "exec")
    theirs = cProfile.Profile()
    theirs.enable()
    exec(code, {"__name__": "script"})
    theirs.disable()
    ours = taffrail.profile.AdvancedProfiler()
    ours.start()
    exec(code, {"__name__": "script"})
    ours.stop()
    ours.dump_stats(tmp_path / "ours.prof")
    read = pstats.Stats(str(tmp_path / "ours.prof")).stats
    theirs.create_stats()
    assert counts(read) == counts(theirs.stats)
    called = {label: {caller: part[0] for caller, part in entry[4].items()} for label, entry in read.items() if label[0].endswith("script.py")}
    expected = {label: {caller: part[0] for caller, part in entry[4].items()} for label, entry in theirs.stats.items() if label[0].endswith("script.py")}
    assert {label: {caller: count for caller, count in callers.items() if caller[0].endswith("script.py")} for label, callers in called.items()} == \
        {label: {caller: count for caller, count in callers.items() if caller[0].endswith("script.py")} for label, callers in expected.items()}


def test_threads_that_take_turns_have_their_own_times():
    turn = [threading.Semaphore(1), threading.Semaphore(0)]

    def inner(me):
        turn[me].acquire()
        turn[1 - me].release()

    def first():
        for _ in range(50):
            inner(0)

    def second():
        for _ in range(50):
            inner(1)

    with taffrail.profile.AdvancedProfiler() as profiler:
        threads = [threading.Thread(target=work) for work in (first, second)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    named = {label[2]: entry for label, entry in profiler.stats().items()}
    assert named["first"][1] == named["second"][1] == 1 and named["inner"][1] == 100
    callers = {caller[2]: part[0] for caller, part in named["inner"][4].items()}
    assert callers == {"first": 50, "second": 50}, "no call of one thread is put down to a function of the other"


def test_it_may_be_started_inside_itself():
    def work():
        with taffrail.profile.AdvancedProfiler():
            return len("abc")

    with taffrail.profile.AdvancedProfiler() as outer:
        work()
        after = len("d")
    named = {label[2]: entry for label, entry in outer.stats().items()}
    assert named["work"][1] == 1 and named["<built-in method builtins.len>"][1] == 2 and after == 1


def test_as_a_program(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent("""
        import sys
        def work(n):
            return sum(range(n))
        work(int(sys.argv[1]))
        if len(sys.argv) > 2:
            raise SystemExit(3)
    """))
    command = [sys.executable, "-m", "taffrail.profile"]
    said = subprocess.run([*command, "-s", "tottime", str(tmp_path / "script.py"), "1000"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "work" in said.stdout and "tottime" in said.stdout
    done = subprocess.run([*command, "-o", "out.prof", "-m", "script", "1000", "x"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert any(label[2] == "work" and entry[1] == 1 for label, entry in pstats.Stats(str(tmp_path / "out.prof")).stats.items())
    for arguments, message in ((["nothing.py"], "no file 'nothing.py'"), (["-m", "nothing.at.all"], "no module 'nothing.at.all'")):
        wrong = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=tmp_path)
        assert wrong.returncode == 2 and message in wrong.stderr and not wrong.stdout


def test_a_program_is_the_main_module_and_alone_in_its_table(tmp_path):
    """As cProfile shows it; what the program defines reaches workers that are spawned."""
    (tmp_path / "script.py").write_text(textwrap.dedent("""
        import multiprocessing
        class Job:
            def __init__(self, n):
                self.n = n
        def work(job: Job):
            return job.n * 2
        assert work.__annotations__ == {"job": Job}
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                assert pool.map(work, [Job(1), Job(2)]) == [2, 4]
            print(__file__)
    """))
    done = subprocess.run([sys.executable, "-m", "taffrail.profile", "-o", "out.prof", "script.py"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "script.py\n", done.stderr
    files = {label[0] for label in pstats.Stats(str(tmp_path / "out.prof")).stats}
    assert "script.py" in files and not [name for name in files if "runpy" in name or name.endswith("taffrail/profile.py")]


def test_archives_and_compiled_programs_run(tmp_path):
    import py_compile
    import zipapp

    (tmp_path / "app").mkdir()
    (tmp_path / "app/__main__.py").write_text("print('from inside')\n")
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz", interpreter="/usr/bin/env python3")
    py_compile.compile(str(tmp_path / "app/__main__.py"), cfile=str(tmp_path / "main.pyc"))
    for program in ("app.pyz", "main.pyc", "app"):
        done = subprocess.run([sys.executable, "-m", "taffrail.profile", "-o", "out.prof", program], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout == "from inside\n", done.stderr


def test_snakeviz_takes_the_file(tmp_path):
    stats = pytest.importorskip("snakeviz.stats")
    with taffrail.profile.AdvancedProfiler() as profiler:
        exec(compile(SCRIPTS["recursion"], "script.py", "exec"), {})
    profiler.dump_stats(tmp_path / "f.prof")
    read = pstats.Stats(str(tmp_path / "f.prof"))
    assert any("script.py" in str(row) and "(f)" in str(row) for row in stats.table_rows(read)) and any("(f)" in name for name in stats.json_stats(read))


def test_actions_have_tables_of_their_own(tmp_path):
    def leaf(n):
        return sum(range(n))

    def work():
        return leaf(10) + leaf(20)

    with taffrail.profile.AdvancedProfiler() as profiler:
        leaf(1)
        with profiler.action("outer"):
            work()
            with profiler.action("inner/of it"):
                work()
                leaf(3)
        with profiler.action("outer"):
            work()

    def calls(action):
        return {label[2]: entry[1] for label, entry in profiler.stats(action=action).items() if label[2] in ("leaf", "work")}

    assert profiler.actions() == ["outer", "inner/of it"]
    assert calls("outer") == {"work": 3, "leaf": 7} and calls("inner/of it") == {"work": 1, "leaf": 3} and calls(None) == {"work": 3, "leaf": 8}
    assert "work" in profiler.summary(action="outer") and not profiler.stats(action="nothing")
    assert profiler.summary(action="nothing") == "no function ran\n"
    profiler.dump_stats(tmp_path / "inner.prof", action="inner/of it")
    read = pstats.Stats(str(tmp_path / "inner.prof"))
    assert {label[2]: entry[1] for label, entry in read.stats.items() if label[2] in ("leaf", "work")} == {"work": 1, "leaf": 3}


def test_actions_of_threads_do_not_mix():
    def job():
        return len("x")

    def run(name):
        with profiler.action(name):
            for _ in range(20):
                job()

    with taffrail.profile.AdvancedProfiler() as profiler:
        threads = [threading.Thread(target=run, args=(f"thread {number}",)) for number in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    for number in range(4):
        assert {label[2]: entry[1] for label, entry in profiler.stats(action=f"thread {number}").items()}["job"] == 20


def test_profilers_of_the_library_by_name(tmp_path):
    assert {"none", "basic", "simple", "advanced", "trace"} <= set(taffrail.registered_profilers())
    profiler = taffrail.Profiler("simple", dirpath=str(tmp_path), filename="mine")
    profiler.setup("fit", str(tmp_path))
    for step in range(4):
        profiler.step(step)
        profiler.start("batch")
        profiler.stop("batch")
    assert "batch" in profiler.summary()
    profiler.teardown()
    assert any("batch" in path.read_text() for path in tmp_path.glob("*mine*.txt"))
    with pytest.raises(taffrail.Error, match="batch"):
        profiler.stop("batch")
    with pytest.raises(TypeError, match="sort_by"):
        taffrail.Profiler("simple", sort="x")
    with pytest.raises(taffrail.Error, match="simple"):
        taffrail.Profiler("simpel")


def test_a_schedule_says_what_each_step_is():
    plan = taffrail.schedule(skip_first=1, wait=1, warmup=1, active=2, repeat=2)
    once = ["none", "warmup", "record", "record_and_save"]
    assert [plan(step) for step in range(11)] == ["none", *once, *once, "none", "none"] and plan.active == 2
    with pytest.raises(taffrail.Error, match="active"):
        taffrail.schedule(active=0)


def events_of(path):
    with gzip.open(path, "rt") if str(path).endswith(".gz") else open(path) as file:
        return json.load(file)["traceEvents"]


@pytest.mark.parametrize("use_gzip", [True, False])
def test_a_tracer_records_the_steps_of_its_schedule(tmp_path, use_gzip):
    with taffrail.Tracer(tmp_path, schedule=taffrail.schedule(wait=1, warmup=1, active=2, repeat=2), worker="w", use_gzip=use_gzip) as tracer:
        for step in range(8):
            with taffrail.zone(f"work {step}"), taffrail.zone("inside"):
                pass
            tracer.step()
    assert len(tracer.paths) == 2 and all("w." in path for path in tracer.paths)
    names = [{event["name"] for event in events_of(path)} for path in tracer.paths]
    assert {"work 2", "work 3", "inside", "ProfilerStep#2", "ProfilerStep#3"} <= names[0] and "work 1" not in names[0] and "work 6" not in names[0]
    assert {"work 6", "work 7"} <= names[1]
    with pytest.raises(taffrail.ClosedError, match="with statement"):
        taffrail.Tracer(tmp_path).step()


def test_two_traces_become_one_on_one_clock():
    from decimal import Decimal

    from taffrail.tracer import merge_traces

    base = 1_763_500_000_000_000_000
    ours = {"traceEvents": [{"ph": "M", "name": "thread_name", "ts": 0}, {"ph": "X", "name": "zone", "ts": Decimal(base // 1000) + Decimal("10.125"), "dur": Decimal("5.5")}],
            "deviceProperties": [], "schemaVersion": 1}
    theirs = {"baseTimeNanoseconds": base - 1_000_000, "traceEvents": [{"ph": "X", "name": "aten::mm", "ts": 1012.0, "dur": 1.0}], "deviceProperties": [{"id": 0}], "traceName": "x"}
    merged = merge_traces(ours, theirs)
    at = {event["name"]: event["ts"] for event in merged["traceEvents"]}
    assert merged["baseTimeNanoseconds"] == base + 10_000 and at["zone"] == 0.125 and at["aten::mm"] == 2.0
    assert merged["deviceProperties"] == [{"id": 0}] and "traceName" not in merged
