"""Run by the interpreter that is measured, with the wheel installed: prints one JSON object."""

import json
import subprocess
import sys
import tempfile
import time

import taffrail


def per_call(work, count: int, repeats: int = 9) -> float:
    """Nanoseconds of a call without the loop around it: the least of several, of each by itself, so that what else the machine does hits neither."""
    def empty(count):
        for _ in range(count):
            pass

    with_calls, without = [], []
    for _ in range(repeats):
        began = time.perf_counter_ns()
        work(count)
        middle = time.perf_counter_ns()
        empty(count)
        with_calls.append(middle - began)
        without.append(time.perf_counter_ns() - middle)
    return (min(with_calls) - min(without)) / count


def calls(count: int) -> dict:
    with tempfile.TemporaryDirectory() as root, taffrail.init(root=root, machine_load=False, environment=False) as run:
        bound, values = run.scalar("x"), {f"key/{number}": float(number) for number in range(20)}

        def scalar(n):
            log = bound.log
            for step in range(n):
                log(0.5, step)

        def rows(n):
            for step in range(n):
                run.log(values, step=step)

        def zone(n):
            for _ in range(n):
                with taffrail.zone("z"):
                    pass

        return {"scalar_ns": per_call(scalar, count), "dict20_ns_per_point": per_call(rows, count // 4) / 20, "zone_us": per_call(zone, count) / 1000}


def importing() -> float:
    """Milliseconds, the median of several processes."""
    text = "import time; began = time.perf_counter(); import taffrail; print((time.perf_counter() - began) * 1000)"
    took = sorted(float(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout) for _ in range(7))
    return took[3]


def reading(points: int) -> dict:
    """Seconds for ten million points, and processor time of one."""
    with tempfile.TemporaryDirectory() as root:
        with taffrail.init(name="n", root=root, machine_load=False, environment=False) as run:
            log = run.scalar("x").log
            for step in range(points):
                log(step * 0.5, step)
        best = cpu = float("inf")
        for _ in range(3):
            began, worked = time.perf_counter(), time.process_time()
            series = taffrail.read(root).run("n").read("x")
            assert len(series.value) == points and len(series.step) == points
            best, cpu = min(best, time.perf_counter() - began), min(cpu, time.process_time() - worked)
        return {"read_10m_s": best * 10_000_000 / points, "read_cpu_us_per_point": cpu * 1e6 / points}


def profiling() -> dict:
    """Processor seconds that each profiler adds to a program of many small calls."""
    import cProfile

    from taffrail.profile import AdvancedProfiler

    def leaf(x):
        return x + 1

    def work():
        total = 0
        for number in range(200_000):
            total = leaf(len("abc") + number)
        return total

    def cost(start, stop) -> float:
        start()
        began = time.process_time()
        work()
        took = time.process_time() - began
        stop()
        return took

    plain, ours, theirs = [], [], []
    for _ in range(5):
        plain.append(cost(lambda: None, lambda: None))
        mine, other = AdvancedProfiler(), cProfile.Profile()
        ours.append(cost(mine.start, mine.stop))
        theirs.append(cost(other.enable, other.disable))
    return {"advanced_s": min(ours) - min(plain), "cprofile_s": min(theirs) - min(plain)}


if __name__ == "__main__":
    quick = sys.argv[1:] == ["quick"]
    taffrail.print_zones_at_exit("none")
    print(json.dumps({**calls(100_000 if quick else 400_000), "import_ms": importing(), **reading(1_000_000 if quick else 10_000_000), **profiling(),
                      "python": sys.version.split()[0]}))
