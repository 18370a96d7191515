"""The stage browser: a job for each file of tests/e2e. What measures times runs alone: whole files, and of others the tests named in tests/e2e/measured.mjs."""

import functools
import os
import threading
import time
from pathlib import Path

import peers
from context import Context
from counting import Counts, from_junit
from jobs import BUILT, Job

AT_ONCE = Path(__file__).with_name("at_once.mjs")
ALONE = {"scale"}
MINUTES = {"nouns": 0.8, "pages": 0.8, "charts": 0.8, "access": 0.8, "visual": 0.7, "live": 0.6, "hparams": 0.5}
CORES = 0.5  # of what a page takes, half is waiting for frames and answers
measuring = threading.Lock()


def reporters(result: Path) -> list[str]:
    """Node's test runner tells of a failure at once, and writes the file that is counted."""
    return [f"--test-reporter={AT_ONCE}", "--test-reporter-destination=stdout", "--test-reporter=junit", f"--test-reporter-destination={result}"]


@functools.cache
def measured_slowness() -> float:
    best = float("inf")
    for _ in range(5):
        began = time.thread_time()  # not the time that others take away
        sum(i * i for i in range(2_000_000))
        best = min(best, time.thread_time() - began)
    return max(1.0, best / 0.083)


def slowness() -> str:
    """How much slower than the machine the time budgets were set on (83 ms for this loop): 1 there and on faster ones."""
    with measuring:
        return os.environ.get("TAFFRAIL_E2E_SLOW") or f"{measured_slowness():.2f}"


def run_file(context: Context, path: Path, name: str, times: str) -> Counts:
    # A process for each file: node holds back what a second file of its own says until the first has ended.
    environment = {**os.environ, "TAFFRAIL_BUILD": str(context.root / "build/ci"), "TAFFRAIL_E2E_PYTHON": str(peers.interpreter("parquet")),
                   "TAFFRAIL_E2E_FULL": "1" if context.full else "0", "TAFFRAIL_E2E_SLOW": slowness(), "TAFFRAIL_E2E_TIMES": times}
    if not context.install_peers("parquet"):
        return Counts(failed=1, failures=[f"browser {name}: the peers 'parquet' could not be installed"])
    result = context.root / "build" / f"junit-browser-{name}.xml"
    result.unlink(missing_ok=True)
    context.run("node", "--test", "--test-timeout=600000", *reporters(result), path, timeout=5400 if context.full else 1500, env=environment, stdout=context.shown)
    counts = from_junit(result, "browser")
    context.ran += counts.names
    return counts


def browser(context: Context) -> list[Job]:
    """the dashboard in a real browser"""
    jobs = []

    def add(path: Path, name: str, times: str, *, alone: bool) -> None:
        demo = {"build:release"} if "scripts/demo" in path.read_text() else set()  # which must find it built
        jobs.append(Job("browser", name, functools.partial(run_file, path=path, name=name, times=times), needs=BUILT | {"peers:parquet"} | demo,
                        minutes=MINUTES.get(name, 0.3), cores=CORES, alone=alone))

    for path in sorted((context.root / "tests/e2e").glob("*.test.mjs")):
        name = path.name.removesuffix(".test.mjs")
        if name in ALONE:
            add(path, name, "", alone=True)
        elif '"./measured.mjs"' in path.read_text():
            add(path, name, "none", alone=False)
            add(path, f"{name}-times", "only", alone=True)
        else:
            add(path, name, "", alone=False)
    return jobs
