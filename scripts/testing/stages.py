"""The stages of ./scripts/test. Each is a function that lists the jobs it is made of; jobs.py says which run beside each other.

Minutes are about those of two idle cores with full caches. They only order the jobs, the longest first, so that none is left over for the end.
"""

import re
import subprocess
import sys
from pathlib import Path

import peers
import stage_python
from context import Context
from counting import Counts, from_junit, one
from jobs import BUILD, BUILT, INSTALL, Job
from stage_browser import browser, reporters
from stage_interop import interop
from stage_python import python

HERE = Path(__file__).parent
DEBIAN_PYTHON = (3, 11)  # of Debian 12
# The build that everything waits for goes before those that run beside the tests; these take only what is left.
FIRST, BEHIND = 5, 19


def build(context: Context) -> list[Job]:
    """build of everything, and of what ./scripts/demo starts out of the same compiler cache"""
    return [
        Job("build", "ci", lambda c: one(c.build("ci", priority=FIRST), "build ci"), minutes=1, lane=BUILD, vital=True),
        Job("build", "release", lambda c: one(c.build("release", "taffrail_command", "vae_digits", priority=FIRST), "build release"), needs=BUILT, minutes=0.5,
            lane=BUILD, vital=True),
    ]


def peer_environments(context: Context) -> list[Job]:
    """environments with the real peers, installed where they are not yet"""
    families = [name for name in peers.FAMILIES if context.full or name not in peers.FULL_ONLY]
    return [Job("peers", name, lambda c, name=name: one(c.install_peers(name), f"peers {name}"), minutes=len(peers.FAMILIES[name]) / 10, lane=INSTALL) for name in families]


def layout(context: Context) -> list[Job]:
    """layers, forbidden calls, file sizes, formatting, documents"""
    return [Job("layout", "all", lambda c: c.pytest("tests", "tests/layout"), needs=BUILT | {"peers:tests"}, minutes=1)]


def lint(context: Context) -> list[Job]:
    """clang-tidy over the library"""
    def tidy(c: Context) -> Counts:
        # The preset without unity builds: its list of compile lines names every file.
        if not c.configure("quick"):
            return one(False, "configure quick")
        return one(c.run("run-clang-tidy-19", "-quiet", "-p", c.root / "build" / "quick", f"{c.root}/src/.*\\.cpp$", timeout=7200) == 0, "clang-tidy")

    return [Job("lint", "clang-tidy", tidy, needs=BUILT, minutes=7, cores=2)]


def parts(stage: str, name: str, count: int, work, **options) -> list[Job]:
    """A job in several, each every count-th test: one runs beside others, and two of them fill two cores."""
    return [Job(stage, f"{name} {i} of {count}", lambda c, i=i: work(c, (i, count)), **options) for i in range(1, count + 1)]


def unit(context: Context) -> list[Job]:
    """unit tests, optimised as in a release"""
    return parts("unit", "tests", 2, lambda c, part: c.ctest("ci", "unit", part=part), needs=BUILT, minutes=1)


def web(context: Context) -> list[Job]:
    """types and unit tests of the dashboard page"""
    def page(c: Context) -> Counts:
        folder = c.root / "web"
        counts = one(c.run("node_modules/.bin/tsc", "--noEmit", "-p", "tests", cwd=folder) == 0, "web: types")
        result = c.root / "build" / "junit-web.xml"
        result.unlink(missing_ok=True)
        c.run("node", "tests/run.mjs", *reporters(result), cwd=folder, timeout=300, stdout=c.shown)
        counts += from_junit(result, "web")
        c.ran += counts.names
        return counts

    return [Job("web", "page", page, needs=BUILT, minutes=0.3)]


def sanitize(context: Context) -> list[Job]:
    """unit tests, and broken disks and processes, under AddressSanitizer and UndefinedBehaviorSanitizer"""
    after = frozenset({"sanitize:build"})

    def units(c: Context, part) -> Counts:
        return c.ctest("sanitize", "unit", exclude="no_sanitizer", environment={"UBSAN_OPTIONS": "print_stacktrace=1"}, part=part)

    def faults(c: Context, part) -> Counts:
        # A fifth of the kills. Of the crowds only the forks: the others take minutes there, and as unit tests they are small.
        return c.ctest("sanitize", "faults", exclude_names="_NOT_BUILT$|^Crowds[.][^F]", environment={"TAFFRAIL_KILL_TRIALS": "20"}, part=part)

    def hostile(c: Context, which: str) -> Counts:
        # Folders from strangers, through the command that would show what it touches.
        return c.pytest("tests", "tests/interop/hostile", "-k", which, name="sanitize-" + which.replace(" ", "-"), environment={"TAFFRAIL_BUILD": str(c.root / "build" / "sanitize")})

    return [
        Job("sanitize", "build", lambda c: one(c.build("sanitize", priority=BEHIND), "build sanitize"), minutes=1, lane=BUILD),
        *parts("sanitize", "unit tests", 4, units, needs=after, minutes=1),
        *parts("sanitize", "faults", 2, faults, needs=after, minutes=1),
        *(Job("sanitize", f"hostile folders, {what}", lambda c, which=which: hostile(c, which), needs=after | {"peers:tests"}, minutes=2)
          for what, which in (("logdirs", "logdir"), ("runs", "not logdir"))),
    ]


# Programs whose point is threads; the rest of the tests would only repeat what the other builds show.
THREADED = ["record_test", "run_test", "server_test", "metrics_test", "terminal_test", "sinks_tensorboard_test", "sources_tensorboard_test",
            "model_test", "seal_test", "store_test", "zones_test"]


def build_threads(context: Context) -> Counts:
    if not context.configure("tsan", "nice", "-n", str(BEHIND)):
        return one(False, "configure tsan")
    known = subprocess.run(["ninja", "-C", context.root / "build" / "tsan", "-t", "targets", "all"], capture_output=True, text=True).stdout
    unknown = [name for name in THREADED if not re.search(rf"^{name}: phony", known, re.M)]
    if unknown:
        return one(False, f"tsan: no such program: {', '.join(unknown)}")
    return one(context.build("tsan", *THREADED, priority=BEHIND), "build tsan")


def threads(context: Context) -> list[Job]:
    """the threaded parts under ThreadSanitizer"""
    def run(c: Context, part) -> Counts:
        # A process for each test: runs are never forgotten by theirs, and a fork takes the locks of all of them, more than ThreadSanitizer can note. With more
        # random address bits than it expects, g++ 12's dies at start; what children do after a fork needs clang.
        fixed_addresses = ("setarch", "-R") if c.run("setarch", "-R", "true") == 0 else ()  # a sandbox may forbid it
        not_here = "_NOT_BUILT$|^Docs[.]|^MpiCommunicator[.]|Fork|Kill|^ZoneTableAtExit[.]|^FunctionNames[.]|^Zones[.]CountsAndTimes|^RankWatch[.]SaysNothingOfARankThatFinished$"
        return c.ctest("tsan", "unit", exclude_names=not_here, under=fixed_addresses, environment={"TSAN_OPTIONS": "die_after_fork=0"}, part=part)

    return [Job("threads", "build", build_threads, minutes=1, lane=BUILD), *parts("threads", "tests", 2, run, needs=frozenset({"threads:build"}), minutes=1)]


def faults(context: Context) -> list[Job]:
    """kill -9, broken disks, replayed write traces"""
    return parts("faults", "tests", 3, lambda c, part: c.ctest("ci", "faults", part=part), needs=BUILT, minutes=1.2, cores=0.5)  # they wait for disks


# Targets that change a whole folder in its decoded form: some tries a second, so the quick run only repeats what is kept.
WHOLE_FOLDERS = ("run_folder_fuzz", "sealed_file_fuzz", "manifest_fuzz", "logdir_fuzz")


def try_target(context: Context, target: Path) -> Counts:
    # The short run tries the same inputs each time, so that it turns red by a change and not by luck; the long one goes where none has been.
    luck = 0 if context.full else 1
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
        status = context.run(target, *what, *limits, cwd=corpus.parent, timeout=seconds + 120, stdout=log)
    text = said.read_text(errors="replace")
    if status != 0:
        context.say(text[-6000:])
    return one(status == 0, f"fuzz {target.name}", text)


def fuzz(context: Context) -> list[Job]:
    """each fuzz target for a few seconds, whole folders over their kept seeds (in --full 2 minutes, what reads event files 10, whole folders 30)"""
    def run(c: Context, part) -> Counts:
        counts = Counts()
        for target in sorted((c.root / "build" / "fuzz" / "fuzz").glob("**/*_fuzz"))[part[0] - 1::part[1]]:
            counts += try_target(c, target)
        return counts

    return [Job("fuzz", "build", lambda c: one(c.build("fuzz", "fuzzers", priority=BEHIND), "build fuzz"), minutes=1, lane=BUILD),
            *parts("fuzz", "targets", 2, run, needs=frozenset({"fuzz:build"}), minutes=1)]


def install(context: Context) -> list[Job]:
    """an outside project finds and uses the installed library"""
    return parts("install", "projects", 2, lambda c, part: c.ctest("ci", "install", part=part), needs=BUILT, minutes=1)


def package(context: Context) -> list[Job]:
    """the package runs in a minimal Debian root"""
    return [Job("package", "try", lambda c: one(c.run("./scripts/package", "--try", timeout=1800) == 0, "package"), needs=frozenset({"build:release"}), minutes=5)]


def newcomer(context: Context) -> list[Job]:
    """what the README says, by somebody who has a bare Debian and nothing else"""
    def walk(c: Context, how_far: str) -> Counts:
        passed = c.run(sys.executable, HERE / "newcomer.py", how_far, timeout=3600) == 0
        return one(passed, f"newcomer: {how_far}", c.said())

    def wheel(c: Context) -> Counts:
        """For Debian's Python; built here where the stage python takes no part in this run."""
        places = stage_python.interpreters()
        if DEBIAN_PYTHON not in places:
            return one(False, f"newcomer: no Python {stage_python.named(DEBIAN_PYTHON)} with headers to build the wheel with (Debian package python3-dev)")
        folder = c.root / "build" / "wheels" / stage_python.named(DEBIAN_PYTHON)
        if not list(folder.glob("taffrail-*.whl")):
            built = stage_python.build_wheel(c, DEBIAN_PYTHON, places[DEBIAN_PYTHON])
            if built.failed:
                return built
        return one(c.run(sys.executable, HERE / "newcomer_wheel.py", next(folder.glob("taffrail-*.whl")), timeout=3600) == 0, "newcomer: wheel", c.said())

    return [Job("newcomer", "root", lambda c: walk(c, "root"), minutes=0.1, lane=INSTALL),
            Job("newcomer", "steps", lambda c: walk(c, "steps"), needs=frozenset({"build:release", "newcomer:root"}), minutes=2),
            Job("newcomer", "wheel", wheel, needs=frozenset({f"python:wheel {stage_python.named(DEBIAN_PYTHON)}", "newcomer:root"}), minutes=0.5)]


def capabilities(context: Context) -> list[Job]:
    """the capability table is true"""
    def check(c: Context) -> Counts:
        c.write_ran_tests()
        return c.pytest("tests", "tests/capabilities")

    return [Job("capabilities", "table", check, last=True)]


STAGES = {"build": build, "peers": peer_environments, "layout": layout, "lint": lint, "unit": unit, "web": web, "sanitize": sanitize, "threads": threads,
          "faults": faults, "fuzz": fuzz, "interop": interop, "python": python, "browser": browser, "install": install, "package": package, "newcomer": newcomer,
          "capabilities": capabilities}
# The others take long for what they find in a single change.
QUICK = [name for name in STAGES if name not in ("lint", "package")]
