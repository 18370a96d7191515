"""How runs begin and end in a Python process: exits of every kind, exceptions, forks, threads, workers; and what the module brings with it."""

import os
import re
import signal
import subprocess
import sys

import pytest
import taffrail
from conftest import site


def state_of(root, name="n"):
    return taffrail.read(root).run(name).info


def test_nothing_begins_before_the_first_run(program, root):
    done = program("""
        import os, threading, taffrail
        print(threading.active_count(), len(os.listdir("/proc/self/task")), os.path.exists(os.environ["TAFFRAIL_DIR"]))
    """)
    assert done.stdout == "1 1 False\n"


def test_the_exit_says_how_a_run_ended(program, root):
    program("import taffrail\nrun = taffrail.init(name='well')\nrun.log({'a': 1.0})\n", "-X", "dev", "-W", "error")
    assert state_of(root, "well").state == "finished"
    done = program("import taffrail\nrun = taffrail.init(name='badly')\nrun.log({'a': 1.0})\nraise ValueError('the reason')\n", check=False)
    assert done.returncode == 1 and "the reason" in done.stderr
    info = state_of(root, "badly")
    assert info.state == "failed" and "ValueError: the reason" in info.message and taffrail.read(root).run("badly")["a"].value.tolist() == [1.0]
    program("import sys, taffrail\nrun = taffrail.init(name='status')\nsys.exit(3)\n", check=False)
    assert state_of(root, "status").state == "failed"
    program("import sys, taffrail\nrun = taffrail.init(name='zero')\nsys.exit(0)\n")
    assert state_of(root, "zero").state == "finished"


def test_a_program_that_ctrl_c_ends_is_aborted(program, root):
    done = program("""
        import os, signal, taffrail
        run = taffrail.init(name="n")
        for step in range(3):
            run.log({"a": 1.0}, step=step)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            pass
    """, check=False)
    assert done.returncode != 0 and "KeyboardInterrupt" in done.stderr
    info = state_of(root)
    assert info.state == "aborted" and "KeyboardInterrupt" in info.message and "a = 1 at step 2" in info.message


def test_a_with_block_ends_as_its_exception_says(root):
    with pytest.raises(KeyError), taffrail.init(name="n") as run:
        run.log({"a": 1.0})
        raise KeyError("gone")
    assert state_of(root).state == "failed" and "KeyError: 'gone'" in state_of(root).message
    with pytest.raises(KeyboardInterrupt), taffrail.init(name="stopped") as run:
        raise KeyboardInterrupt
    assert state_of(root, "stopped").state == "aborted"


def test_a_failed_run_says_what_was_logged_last(program, root):
    program("""
        import taffrail
        run = taffrail.init(name="n")
        for step in range(5):
            run.log({"loss": 1 / (step + 1), "lr": 3e-4}, step=step)
            run.log("counted", step)
        run.log({"loss": float("nan"), "lr": 1e-4}, step=5)
        raise ValueError("the reason")
    """, check=False)
    assert state_of(root).message.splitlines()[-2:] == ["ValueError: the reason", "Last values: loss = nan at step 5, lr = 0.0001 at step 5, counted = 4"]


def test_rows_that_are_logged_in_turn_do_not_drive_each_other_out(root):
    """Keys that have one place in the cache of rows (python/src/fast_logging.cpp) by where they lie in memory."""
    places = {}
    for key in [f"key/{number}" for number in range(400)]:
        places.setdefault((((id(key) >> 4) * 0x9E3779B97F4A7C15 % 2**64) >> 40) % 64, []).append(key)
    keys = max(places.values(), key=len)[:4]
    with taffrail.init(name="n") as run:
        for step in range(4):
            for number, key in enumerate(keys):
                run.log(key, step * number, step)
        assert {key: (value, step) for key, value, step in run._last_values()} == {key: (3.0 * number, 3) for number, key in enumerate(keys)}


def test_an_exit_without_a_word_loses_nothing(program, root):
    program("""
        import os, taffrail
        run = taffrail.init(name="n")
        for step in range(10_000):
            run.log({"a": float(step)}, step=step)
        os._exit(0)
    """)
    past = taffrail.read(root).run("n")
    assert len(past["a"]) == 10_000


def test_ctrl_c_while_finishing_ends_the_program(root, tmp_path):
    (tmp_path / "p.py").write_text("""
import time, taffrail
class Slow(taffrail.Sink):
    def write(self, records):
        print("writing", flush=True)
        time.sleep(1.5)
run = taffrail.init(name="n", finish_timeout=20)
run.add_sink(Slow())
run.log({"a": 1.0})
run.finish()
""")
    child = subprocess.Popen([sys.executable, tmp_path / "p.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "writing\n"
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=120)
    assert taffrail.read(root).run("n")["a"].value.tolist() == [1.0]


def test_forked_children_log_beside_their_parent(program, root):
    count = 100
    program(f"""
        import os, taffrail
        run = taffrail.init(name="n")
        children = []
        for child in range({count}):
            number = os.fork()
            if number == 0:
                for step in range(200):
                    run.log({{f"child/{{child}}": float(step)}}, step=step)
                os._exit(0)
            children.append(number)
        for number in children:
            assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0
        run.finish()
    """, "-X", "dev")
    past = taffrail.read(root).run("n")
    for child in range(count):
        assert past[f"child/{child}"].step.tolist() == list(range(200))


def test_workers_that_a_rank_forked_end_as_the_rank_does(root, tmp_path):
    """Rank 1 ends first, and finds what the dead worker of rank 0 left."""
    (tmp_path / "rank.py").write_text("""
import os, sys, time, taffrail

run, rank = taffrail.init(name="n"), int(os.environ["RANK"])
if rank == 0:
    worker = os.fork()
    if worker == 0:
        run.log({"worker": 1.0}, step=0)
        os._exit(0)
    os.waitpid(worker, 0)
    open("worker-is-over", "w").close()
    while not os.path.exists("rank-1-is-over"):
        time.sleep(0.01)
else:
    while not os.path.exists("worker-is-over"):
        time.sleep(0.01)
run.log({"loss": float(rank)}, step=0)
run.finish()
if rank == 1:
    open("rank-1-is-over", "w").close()
""")
    launch = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511", "TORCHELASTIC_RUN_ID": tmp_path.name, "TAFFRAIL_ZONES": "none"}
    ranks = [subprocess.Popen([sys.executable, tmp_path / "rank.py"], cwd=tmp_path, env={**os.environ, **launch, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(2)]
    try:
        assert [rank.wait(timeout=120) for rank in ranks] == [0, 0]
    finally:
        for rank in ranks:
            rank.kill()
    past = taffrail.read(root).run("n")
    assert len(past["loss"]) == 2 and past["worker"].value.tolist() == [1.0]
    assert (past.info.state, past.info.message) == ("finished", "")


def test_a_worker_that_outlives_its_run_does_not_crash_it(program, root):
    """Loaders of data keep their workers until they are collected, behind finish()."""
    program("""
        import os, taffrail

        run = taffrail.init(name="n")
        (over, tell_over), (logged, tell_logged) = os.pipe(), os.pipe()
        worker = os.fork()
        if worker == 0:
            os.close(tell_over)
            run.log({"worker": 1.0}, step=0)
            os.write(tell_logged, b"x")
            os.read(over, 1)
            run.log({"worker": 2.0}, step=1)
            os._exit(0)
        os.read(logged, 1)
        run.log({"loss": 0.5}, step=0)
        run.finish()
        os.close(tell_over)
        os.waitpid(worker, 0)
    """, TAFFRAIL_ZONES="none")
    past = taffrail.read(root).run("n")
    assert (past.info.state, past.info.message) == ("finished", "")
    assert past["worker"].value.tolist() == [1.0, 2.0] and past["loss"].value.tolist() == [0.5]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(program, root, method):
    program(f"""
        import multiprocessing, taffrail

        def work(number):
            if taffrail.active_run() is not None:
                taffrail.log({{"worker": float(number)}}, step=number)
            return number * 2

        if __name__ == "__main__":
            with taffrail.init(name="n") as run:
                with multiprocessing.get_context("{method}").Pool(2) as pool:
                    run.log({{"sum": float(sum(pool.map(work, range(8))))}}, step=0)
    """)
    past = taffrail.read(root).run("n")
    assert past["sum"].value.tolist() == [56.0]
    if method == "fork":
        assert sorted(past["worker"].step.tolist()) == list(range(8))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_runs_of_workers_end_as_their_work_does(program, root, method):
    """A sweep: every worker opens a run, and leaves it open."""
    program(f"""
        import concurrent.futures, multiprocessing, sys, taffrail

        def work(name):
            run = taffrail.init(name=name)
            run.log({{"loss": 0.5}}, step=0)
            if name == "fails":
                raise ValueError("the reason")
            if name == "leaves":
                sys.exit(0)

        if __name__ == "__main__":
            context = multiprocessing.get_context("{method}")
            workers = [context.Process(target=work, args=(name,)) for name in ("works", "fails", "leaves")]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            assert [worker.exitcode for worker in workers] == [0, 1, 0]
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
                pool.submit(work, "pooled").result()
    """, TAFFRAIL_ZONES="none")
    past = taffrail.read(root)
    for name, state in (("works", "finished"), ("fails", "failed"), ("leaves", "finished"), ("pooled", "finished")):
        assert past.run(name).info.state == state and past.run(name)["loss"].value.tolist() == [0.5], name
    message = past.run("fails").info.message
    assert "ValueError: the reason" in message or "the worker ended with status 1" in message or method == "spawn"


def test_threads_and_coroutines(program, root):
    program("""
        import asyncio, threading, taffrail
        run = taffrail.init(name="n")

        def work(number):
            for step in range(500):
                run.log({f"thread/{number}": float(step), "all": 1.0}, step=step)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

        async def task(number):
            for step in range(50):
                with taffrail.zone(f"task {number}"):
                    await asyncio.sleep(0)
                run.log({f"task/{number}": float(step)}, step=step)

        async def main():
            await asyncio.gather(*(task(number) for number in range(10)))

        asyncio.run(main())
    """, "-X", "dev", "-W", "error", TAFFRAIL_ZONES="none")
    past = taffrail.read(root).run("n")
    assert len(past["all"]) == 4000 and len(past["thread/7"]) == 500 and len(past["task/9"]) == 50


def test_a_sink_in_python_gets_every_record_and_closes(program, root):
    done = program("""
        import taffrail

        class Mine(taffrail.Sink):
            def open(self, context):
                print("open", context.run_name, context.project)
                self.failed = False
            def accepts(self, kind):
                return kind in ("scalar", "text")
            def write(self, records):
                if not self.failed:
                    self.failed = True
                    raise RuntimeError("once")
                for record in records:
                    print(record.key, record.kind, record.step, record.value)
            def close(self, state):
                print("close", state)

        run = taffrail.init("p", "n", sinks=[Mine()])
        run.log({"a": 1.5, "t": "said"}, step=3)
        run.log({"a": 2.5}, step=4)
    """, "-X", "dev", "-W", "error")
    assert done.stdout.splitlines() == ["open n p", "a scalar 3 1.5", "t text 3 said", "a scalar 4 2.5", "close finished"]


def test_registered_sinks_take_options(root, tmp_path):
    with taffrail.init(name="n") as run:
        run.add_sink("csv", log_dir=str(tmp_path / "csv"))
        run.log({"a": 1.5}, step=3)
        with pytest.raises(taffrail.Error, match="log_dir"):
            run.add_sink("csv", log_dirr="x")
        with pytest.raises(taffrail.Error, match="tensorboard"):
            run.add_sink("tensorbord")
    assert "1.5" in "".join(path.read_text() for path in (tmp_path / "csv").rglob("*.csv"))
    assert {"csv", "tensorboard", "wandb", "terminal"} <= {sink["name"] for sink in taffrail.registered_sinks()}


def test_calls_leak_nothing(program):
    count = 1_000_000
    done = program(f"""
        import resource, taffrail
        run = taffrail.init(name="n", machine_load=False)
        values = {{"a": 1.0, "b": 2.0}}
        bound = run.scalar("c")

        def calls(count):
            for step in range(count):
                run.log(values, step=step)
                run.log({{f"k{{step % 100}}": 1.0}}, step=step)
                bound.log(1.0, step)
                with taffrail.zone("z"):
                    pass

        def pages():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1])

        calls(50_000)
        run.flush()
        before = pages()
        calls({count})
        run.flush()
        print((pages() - before) * 4096)
        run.finish()
    """, TAFFRAIL_ZONES="none")
    assert int(done.stdout) < 24 << 20  # rings and buffers grow with the pace, objects would be hundreds of megabytes at full counts


def test_a_debugger_stops_where_it_is_asked(program, root):
    done = subprocess.run([sys.executable, "-c", "import taffrail\nrun = taffrail.init(name='n')\nvalue = 41\nrun.log({'a': 1.0})\n"
                           "taffrail.breakpoint()\nprint('on', value)\nrun.finish()\n"], input="p value + 1\nc\n", capture_output=True, text=True, timeout=120)
    assert "42" in done.stdout and "on 41" in done.stdout, done.stdout + done.stderr
    assert taffrail.read(root).run("n").info.state == "finished"


def test_a_guard_pauses_where_nan_is_logged(program, root, tmp_path):
    (tmp_path / "p.py").write_text("import taffrail\nrun = taffrail.init(name='n')\nrate = 0.25\nwith taffrail.guard(nan='pause'):\n"
                                   "    run.log({'a': float('nan')}, step=3)\n    run.log({'a': 1.0}, step=4)\nprint('on')\nrun.finish()\n")
    done = subprocess.run([sys.executable, tmp_path / "p.py"], input="p rate * 2\nc\n", capture_output=True, text=True, timeout=120)
    assert "'a' is nan at step 3" in done.stdout and "0.5" in done.stdout and done.stdout.splitlines()[-1].endswith("on"), done.stdout + done.stderr
    past = taffrail.read(root).run("n")
    assert past.info.state == "finished" and past["a"].step.tolist() == [3, 4]


def test_a_guard_stops_at_nan(root):
    with taffrail.init(name="n") as run:
        with taffrail.guard():
            run.log({"a": 1.0}, step=0)
            for call in (lambda: run.log({"a": float("nan")}, step=1), lambda: run.scalar("b").log(float("inf"), 1), lambda: run.row("c", "d").log(1, 0.0, float("nan"))):
                with pytest.raises(FloatingPointError, match="step 1"):
                    call()
        with taffrail.guard(nan="mark"):
            run.log({"e": float("nan")}, step=2)
            run.log({"e": float("nan")}, step=3)
        run.log({"a": float("nan")}, step=2)
    past = taffrail.read(root).run("n")
    assert len(past["a"]) == 3 and len(past["b"]) == 1 and len(past["e"]) == 2
    alerts = [entry.value for info in past.keys() if info.kind == "alert" for entry in past.entries(info.key)]
    assert [alert["text"] for alert in alerts] == ["'e' is nan at step 2"]


def test_the_module_exports_its_entry_alone_and_brings_its_libraries():
    module = next(site().glob("_core*.so"))
    said = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in said.splitlines()] == ["PyInit__core"]
    needed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    ours = re.findall(r"=> (\S*/taffrail/libraries/\S+)", needed)
    for name in ("yaml-cpp", "spng", "turbojpeg"):
        assert any(re.search(rf"lib{name}-[0-9a-f]{{8}}\.so", path) for path in ours), needed
    assert "libtaffrail" not in needed


def test_the_command_is_a_program_of_its_own(root):
    command = os.path.join(os.path.dirname(sys.executable), "taffrail")
    with open(command, "rb") as program:
        assert program.read(4) == b"\x7fELF"
    with taffrail.init(name="from-python") as run:
        run.log({"a": 1.0})
    for called in ([command], [sys.executable, "-m", "taffrail"]):
        said = subprocess.run([*called, "ls", str(root)], capture_output=True, text=True, check=True, env={**os.environ, "PATH": "/usr/bin:/bin"}).stdout
        assert "from-python" in said
    assert subprocess.run([sys.executable, "-m", "taffrail", "lss"], capture_output=True, env={**os.environ, "PATH": "/usr/bin:/bin"}).returncode != 0


def test_importing_is_cheap(program):
    """A program that logs numbers pays for nothing else: no part of the standard library that costs a millisecond, none of ours that it does not name."""
    done = program(f"""
        import os, sys, types  # which the site module brings by itself
        sys.path.append({str(site().parent)!r})
        before = set(sys.modules)
        import taffrail
        print(*sorted(set(sys.modules) - before - {{"__future__", "_weakrefset", "atexit", "itertools", "weakref"}}))
        with taffrail.init(name="n", config={{"lr": 0.1}}) as run:
            run.log({{"a": 1.0}}, step=0)
        print(*sorted(name for name in set(sys.modules) - before if name.startswith("taffrail")))
    """, "-S")
    assert done.stdout.splitlines() == ["taffrail taffrail._arrays taffrail._core taffrail._run"] * 2
    assert [name for name in taffrail.__all__ if not hasattr(taffrail, name)] == [] and taffrail.media.Image is taffrail.Image
