"""gdb beside a program that logs: it attaches and lets go, or starts it, and no point is lost."""

import shutil
import subprocess
import sys

import pytest
import taffrail

GDB = shutil.which("gdb")
# Anybody may look: where attaching is for parents alone, gdb is none.
PROGRAM = """
import ctypes, sys, threading, time, taffrail

ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER, PR_SET_PTRACER_ANY
class Seen(taffrail.Sink):
    def write(self, records):
        pass

run = taffrail.init(name="n", sinks=[Seen()])
over, counts = threading.Event(), [0, 0]

def work(number):
    row = run.row(f"{number}/a", f"{number}/b")
    while not over.is_set() or counts[number] < 200:
        row.log(counts[number], counts[number], -counts[number])
        run.log({f"{number}/loss": 0.5}, step=counts[number])
        counts[number] += 1
        time.sleep(0.0002)

threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
print("ready", flush=True)
sys.stdin.readline()
over.set()
for thread in threads:
    thread.join()
run.finish()
with open(__file__ + ".counts", "w") as out:  # gdb writes into the middle of printed lines
    print(*counts, file=out)
"""


def gdb(*arguments) -> str:
    assert GDB, "gdb is missing: scripts/dependencies.sh test"
    done = subprocess.run([GDB, "-nx", "-batch", "-iex", "set debuginfod enabled off", *arguments], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def path(tmp_path):
    (tmp_path / "logs.py").write_text(PROGRAM)
    return tmp_path / "logs.py"


def check_whole(root, path):
    counts = [int(word) for word in path.with_name(path.name + ".counts").read_text().split()]
    assert min(counts) >= 200
    past = taffrail.read(root).run("n")
    assert past.info.state == "finished" and not past.damage
    for number, count in enumerate(counts):
        steps = list(range(count))
        assert past[f"{number}/a"].value.tolist() == steps and past[f"{number}/b"].value.tolist() == [-step for step in steps]
        assert past[f"{number}/loss"].step.tolist() == steps


def test_it_attaches_to_a_program_that_logs_and_lets_go(root, path):
    with subprocess.Popen([sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            for _ in range(3):
                said = gdb("-p", str(child.pid), "-ex", "info threads", "-ex", "thread apply all backtrace 2", "-ex", "detach")
                assert "taffrail" in said, said  # threads of ours have names
                assert "detached" in said, said
            # A breakpoint at what the collector does, hit and gone on from.
            said = gdb("-p", str(child.pid), "-ex", "break pwritev64", "-ex", "continue", "-ex", "backtrace 1", "-ex", "delete", "-ex", "detach")
            assert "hit Breakpoint 1, " in said, said
            _, error = child.communicate("over\n", timeout=120)
        finally:
            child.kill()
    assert child.returncode == 0, error
    check_whole(root, path)


def test_a_program_that_it_starts_runs_to_its_end(root, path, tmp_path):
    (tmp_path / "said").write_text("over\n")
    said = gdb("-ex", f"run {path} < {tmp_path / 'said'}", sys.executable)
    assert "exited normally" in said, said
    check_whole(root, path)
