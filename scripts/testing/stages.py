"""The stages of ./scripts/test, in order. Each is a function of a Context that returns Counts."""

import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import peers
from context import Context
from counting import Counts, from_junit, one
from debian_root import NoRoot
from newcomer import Newcomer


AT_ONCE = Path(__file__).with_name("at_once.mjs")


def build(context: Context) -> Counts:
    """build of everything, and of what ./scripts/demo starts out of the same compiler cache"""
    return one(context.build("ci") and context.build("release", "taffrail_command", "vae_digits"), "build ci and release")


def layout(context: Context) -> Counts:
    """layers, forbidden calls, file sizes, formatting, documents"""
    return context.pytest("tests", "tests/layout")


def unit(context: Context) -> Counts:
    """unit tests, optimised as in a release"""
    return context.ctest("ci", "unit")


def web(context: Context) -> Counts:
    """types and unit tests of the dashboard page"""
    folder = context.root / "web"
    counts = one(context.run("node_modules/.bin/tsc", "--noEmit", "-p", "tests", cwd=folder) == 0, "web: types")
    result = context.root / "build" / "junit-web.xml"
    result.unlink(missing_ok=True)
    context.run("node", "tests/run.mjs", *reporters(result), cwd=folder, timeout=300)
    counts += from_junit(result, "web")
    context.ran += counts.names
    return counts


def reporters(result: Path) -> list[str]:
    """Node's test runner tells of a failure at once, and writes the file that is counted."""
    return [f"--test-reporter={AT_ONCE}", "--test-reporter-destination=stdout", "--test-reporter=junit", f"--test-reporter-destination={result}"]


def sanitize(context: Context) -> Counts:
    """unit tests, and broken disks and processes, under AddressSanitizer and UndefinedBehaviorSanitizer"""
    if not context.build("sanitize"):
        return one(False, "build sanitize")
    counts = context.ctest("sanitize", "unit", exclude="no_sanitizer", environment={"UBSAN_OPTIONS": "print_stacktrace=1"})
    # A fifth of the kills. Of the crowds only the forks: the others take minutes there, and as unit tests they are small.
    counts += context.ctest("sanitize", "faults", exclude_names="_NOT_BUILT$|^Crowds[.][^F]", environment={"TAFFRAIL_KILL_TRIALS": "20"})
    # Folders from strangers, through the command that would show what it touches.
    counts += context.pytest("tests", "tests/interop/hostile", environment={"TAFFRAIL_BUILD": str(context.root / "build" / "sanitize")})
    return counts


# Programs whose point is threads; the rest of the tests would only repeat what the other builds show.
THREADED = ["record_test", "run_test", "server_test", "metrics_test", "terminal_test", "sinks_tensorboard_test", "sources_tensorboard_test",
            "model_test", "seal_test", "store_test"]


def threads(context: Context) -> Counts:
    """the threaded parts under ThreadSanitizer"""
    folder = context.root / "build" / "tsan"
    if not context.configure("tsan"):
        return one(False, "configure tsan")
    known = subprocess.run(["ninja", "-C", folder, "-t", "targets", "all"], capture_output=True, text=True).stdout
    unknown = [name for name in THREADED if not re.search(rf"^{name}: phony", known, re.M)]
    if unknown:
        return one(False, f"tsan: no such program: {', '.join(unknown)}")
    if not context.build("tsan", *THREADED):
        return one(False, "build tsan")
    # A process for each test: runs are never forgotten by theirs, and a fork takes the locks of all of them, more than ThreadSanitizer can note. With more
    # random address bits than it expects, g++ 12's dies at start; what children do after a fork needs clang.
    fixed_addresses = ("setarch", "-R") if context.run("setarch", "-R", "true") == 0 else ()  # a sandbox may forbid it
    not_here = "_NOT_BUILT$|^Docs[.]|^MpiCommunicator[.]|Fork|Kill|^RankWatch[.]SaysNothingOfARankThatFinished$"
    return context.ctest("tsan", "unit", exclude_names=not_here, under=fixed_addresses, environment={"TSAN_OPTIONS": "die_after_fork=0"})


def faults(context: Context) -> Counts:
    """kill -9, broken disks, replayed write traces"""
    return context.ctest("ci", "faults", jobs=1)


# Targets that change a whole folder in its decoded form: some tries a second, so the quick run only repeats what is kept.
WHOLE_FOLDERS = ("run_folder_fuzz", "sealed_file_fuzz", "manifest_fuzz", "logdir_fuzz")


def fuzz(context: Context) -> Counts:
    """each fuzz target for a few seconds, whole folders over their kept seeds (in --full 2 minutes, what reads event files 10, whole folders 30)"""
    # The short run tries the same inputs each time, so that it turns red by a change and not by luck; the long one goes where none has been.
    luck = 0 if context.full else 1
    if not context.build("fuzz", "fuzzers"):
        return one(False, "build fuzz")
    targets = sorted((context.root / "build" / "fuzz" / "fuzz").glob("**/*_fuzz"))

    def run_one(target: Path) -> Counts:
        whole = target.name in WHOLE_FOLDERS
        seconds = 4 if not context.full else 1800 if whole else 600 if target.name.startswith("tensorboard_") else 120
        corpus = context.root / "build" / "fuzz" / "corpus" / target.name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds = context.root / "fuzz" / "corpus" / target.name
        limits = ("-rss_limit_mb=1024", "-malloc_limit_mb=128", "-timeout=10")
        if whole and not context.full:
            what = sorted(seeds.iterdir()) if seeds.exists() else []
            if not what:
                return one(False, f"fuzz {target.name}: no seeds are kept")
        else:
            what = (corpus, *([seeds] if seeds.exists() else []), f"-max_total_time={seconds}", f"-seed={luck}", "-print_final_stats=0", "-verbosity=0",
                    *(("-len_control=0", "-max_len=200000") if whole else ()))
        said = corpus.parent / f"{target.name}.log"
        with said.open("w") as log:
            status = context.run(target, *what, *limits, cwd=corpus.parent, timeout=seconds + 120, stdout=log, stderr=subprocess.STDOUT)
        text = said.read_text(errors="replace")
        if status != 0:
            print(text[-6000:], flush=True)
        return one(status == 0, f"fuzz {target.name}", text)

    counts = Counts()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for each in pool.map(run_one, targets):
            counts += each
    return counts


def lint(context: Context) -> Counts:
    """clang-tidy over the library"""
    # The preset without unity builds: its list of compile lines names every file.
    if not context.configure("quick"):
        return one(False, "configure quick")
    return one(context.run("run-clang-tidy-19", "-quiet", "-p", context.root / "build" / "quick", f"{context.root}/src/.*\\.cpp$", timeout=7200) == 0, "clang-tidy")


def interop(context: Context) -> Counts:
    """against the real peers: their readers, servers and clients"""
    built = context.root / "build" / "ci"
    programs = {
        "TAFFRAIL_LIGHTNING_REPLAY": built / "tests/interop/lightning/lightning_replay",
        "TAFFRAIL_METRICS_REPLAY": built / "tests/interop/torchmetrics/metrics_replay",
        "TAFFRAIL_PARQUET_SAMPLE": next(iter(built.glob("tests/parquet/*sample*")), ""),
        "TAFFRAIL_MEDIA_TOOL": next(iter(built.glob("tests/interop/media/media_tool")), ""),
        "TAFFRAIL_BUILD": built,
    }
    if context.full:
        programs["TAFFRAIL_LIGHTNING_SCRIPTS"] = "500"
    environment = {name: str(value) for name, value in programs.items()}
    # ClickHouse needs an environment of its own, which only the full run installs.
    counts = context.pytest("parquet", "tests/interop/parquet", "-k", "not clickhouse", environment=environment)
    if context.full:
        counts += context.pytest("clickhouse", "tests/interop/parquet", "-k", "clickhouse", environment=environment)
    for folder, family in (("media", "media"), ("tensorboard", "tensorboard"), ("attempts", "tensorboard"), ("torchmetrics", "lightning"), ("lightning", "lightning"), ("server", "server"),
                           ("terminal", "tests"), ("example", "tests"), ("mpi", "tests"), ("hostile", "tests")):
        counts += context.pytest(family, f"tests/interop/{folder}", environment=environment)
    return counts


def slowness() -> float:
    """How much slower than the machine the time budgets were set on (83 ms for this loop): 1 there and on faster ones."""
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        sum(i * i for i in range(2_000_000))
        best = min(best, time.perf_counter() - began)
    return max(1.0, best / 0.083)


def browser(context: Context) -> Counts:
    """the dashboard in a real browser"""
    files = sorted(str(path) for path in (context.root / "tests/e2e").glob("*.test.mjs"))
    if not files:
        return Counts()
    # Long and short files beside each other keep two cores busy; the one that measures times runs alone at the end.
    alone = [path for path in files if path.endswith("/scale.test.mjs")]
    environment = {**os.environ, "TAFFRAIL_BUILD": str(context.root / "build/ci"), "TAFFRAIL_E2E_PYTHON": str(peers.python_of("parquet")),
                   "TAFFRAIL_E2E_FULL": "1" if context.full else "0",
                   "TAFFRAIL_E2E_SLOW": os.environ.get("TAFFRAIL_E2E_SLOW", f"{slowness():.2f}")}

    def run_one(path: str) -> Counts:
        # A process for each file: node holds back what a second file of its own says until the first has ended.
        name = Path(path).name.removesuffix(".test.mjs")
        result = context.root / "build" / f"junit-browser-{name}.xml"
        result.unlink(missing_ok=True)
        context.run("node", "--test", "--test-timeout=600000", *reporters(result), path, timeout=5400 if context.full else 1500, env=environment)
        counts = from_junit(result, "browser")
        print(f"{name}: {counts}", flush=True)
        return counts

    counts = Counts()
    with ThreadPoolExecutor(2) as pool:
        for each in pool.map(run_one, [path for path in files if path not in alone]):
            counts += each
    for path in alone:
        counts += run_one(path)
    context.ran += counts.names
    return counts


def install(context: Context) -> Counts:
    """an outside project finds and uses the installed library"""
    return context.ctest("ci", "install", jobs=1)


def package(context: Context) -> Counts:
    """the package runs in a minimal Debian root"""
    return one(context.run("./scripts/package", "--try", timeout=1800) == 0, "package")


def newcomer(context: Context) -> Counts:
    """what the README says, by somebody who has a bare Debian and nothing else"""
    cache = Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail"))
    # Names a package that scripts/dependencies.sh then lacks: to see this stage fail.
    without = os.environ.get("TAFFRAIL_NEWCOMER_WITHOUT", "")
    compiled = subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True, check=True).stdout.strip()
    try:
        failed = Newcomer(context.root, cache, context.root / "build" / "newcomer", without).failures(Path(compiled))
    except NoRoot as reason:
        failed = [str(reason)]
    return one(not failed, f"newcomer: {', '.join(failed)}" if failed else "newcomer")


def capabilities(context: Context) -> Counts:
    """the capability table is true"""
    context.write_ran_tests()
    return context.pytest("tests", "tests/capabilities")


STAGES = [build, layout, lint, unit, web, sanitize, threads, faults, fuzz, interop, browser, install, package, newcomer, capabilities]
# The others take long for what they find in a single change.
QUICK = [stage for stage in STAGES if stage not in (lint, package)]
