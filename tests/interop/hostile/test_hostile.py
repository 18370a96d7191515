"""Folders from strangers (tests/data/hostile/make.py) through every command and every route, as a user with no rights of ours.

TAFFRAIL_BUILD names the build; with a sanitizer in it (build/dev) its reports fail the tests as well. Nothing here depends on speed: a command
that waits for a pipe would wait for ever, and is ended after minutes.
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TAFFRAIL = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "release")) / "bin" / "taffrail"
sys.path.insert(0, str(ROOT / "tests" / "data" / "hostile"))

import make  # noqa: E402

TRACKERS = ["logdir-aim", "logdir-comet", "logdir-comet-archive", "logdir-mlflow", "logdir-mlflow-database", "logdir-mlflow-pipes", "logdir-neptune",
            "logdir-neptune-export", "logdir-trackio", "logdir-trackio-pipes", "logdir-wandb"]
FOLDERS = sorted([*TRACKERS, "climbing-id", "climbing-names", "climbing-project", "escapes", "far-keys", "levels-of-two", "linked-run", "links-beside", "links-for-files", "links-for-sinks", "links-in-a-run", "logdir-files", "logdir-loops", "manifest-names",
                  "one-list-of-pages", "pipes", "png-bomb", "raw-images", "rows-that-are-not-there", "series-in-the-step-column", "strange-sink"])
REMOVED = {"escapes", "far-keys", "links-beside", "png-bomb", "raw-images"}  # by the last commands; of the others only some have what these refuse
NOBODY = 65534
LIMIT_S = 240
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@pytest.fixture
def made(tmp_path_factory):
    # Below /tmp and open to others: pytest's own folder is closed to the user that the commands run as.
    destination = Path(subprocess.run(["mktemp", "-d"], check=True, capture_output=True, text=True).stdout.strip())
    assert make.make(destination) == FOLDERS
    (destination / "home").mkdir()
    for folder, _, files in os.walk(destination):
        os.chmod(folder, 0o777)
        if os.getuid() == 0:
            for name in [folder] + [os.path.join(folder, each) for each in files]:
                os.chown(name, NOBODY, NOBODY, follow_symlinks=False)
    yield destination
    shutil.rmtree(destination)


def snapshot(folder):
    """Everything below, links as links."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            entry = Path(path) / name
            found[str(entry.relative_to(folder))] = os.readlink(entry) if entry.is_symlink() else entry.read_bytes() if entry.is_file() else "folder"
    return found


def lowered():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def environment(made):
    return {"PATH": os.environ["PATH"], "HOME": str(made / "home"), "TMPDIR": str(made / "home"), "XDG_RUNTIME_DIR": "", "LANG": "C.UTF-8",
            "XDG_CACHE_HOME": str(made / "home" / "cache"), "XDG_STATE_HOME": str(made / "home" / "state"), "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "halt_on_error=1"}


def command(made, *arguments):
    done = subprocess.run([TAFFRAIL, *map(str, arguments)], env=environment(made), cwd=made / "home", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT_S, preexec_fn=lowered)
    said = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 1, 2), f"{arguments}: ended with {done.returncode}\n{said[-3000:]}"
    assert "Sanitizer" not in said and "runtime error" not in said, f"{arguments}\n{said[-3000:]}"
    assert done.returncode == 0 or said or done.stdout, f"{arguments} failed without a word"
    assert b"precious" not in done.stdout + done.stderr, f"{arguments} shows what lies outside"
    assert not CONTROLS.search(done.stdout + done.stderr), f"{arguments} sends what a terminal obeys"
    return done


# These read no run, or (ui) are asked by every route below.
NO_READERS = {"demo", "ui", "list", "version", "completion"}
# Where sinks are told to go, besides their usual place in the run folder. Nobody listens there.
OPTIONS = {"mlflow": ("-o", "tracking_uri=http://127.0.0.1:1"), "wandb": ("-o", "mode=offline")}
SINKS = ("csv", "terminal", "tensorboard", "wandb", "mlflow", "comet", "neptune", "aim")


def commands_for(folder, out):
    logdir = folder.name.startswith("logdir")
    run = folder.name if folder.name == "climbing-id" else make.RUN  # that id is a path
    one = (folder,) if logdir else (run, "--root", folder)
    for more in ((), ("--json",), ("--sort", "loss"), ("--filter", "loss<1"), ("--columns", "loss,lr")):
        yield ("ls", folder, *more)
    yield ("verify", folder)
    yield ("verify", folder, "--json")
    yield ("show", *one)
    yield ("show", *one, "--json")
    yield ("compare", *one[:1], *one)
    yield ("compare", *one[:1], *one, "--json", "--all")
    for more in ((), ("--json",), ("--console",), ("--console", "--json"), ("-n", "100000")):
        yield ("tail", *one, *more)
    for form, name in (("csv", "points.csv"), ("jsonl", "all.jsonl"), ("parquet", "points.parquet"), ("tensorboard", "events"), ("media", "media")):
        yield ("export", *one, "--format", form, "--output", out / name)
    yield ("export", *one, "--format", "csv", "--wide", "--output", out / "wide.csv")
    yield ("export", *one, "--format", "jsonl", "--media", out / "pictures", "--output", out / "again.jsonl")
    if logdir:
        yield ("verify", folder, "--repair", out / "repaired")
    else:
        yield ("du", run, "--root", folder)
    for form in ("html", "svg", "png"):
        yield ("export", *one, "--format", form, "--output", out / f"charts.{form}")
    yield ("export", *one, "--format", "csv", "--attempts", "all", "--output", out / "every.csv")
    yield ("show", *one, "--plot", "*", "--environment", "--system")
    yield ("ls", folder, "--plot", "*", "--all")
    yield ("compare", *one[:1], *one, "--plot", "*", "--value", "mean")
    yield ("profile", "table", *one)
    yield ("profile", "analyze", *one, "--json")
    yield ("profile", "trace", *one)
    yield ("profile", "flame", *one, "--output", out / "flame.svg")
    yield ("profile", "diff", *one[:1], *one)
    yield ("profile", "convert", *one, "--to", "chrome", "--output", out / "trace.json")
    yield ("import", folder, "--root", out / "copy")
    if not logdir:
        yield ("tag", run, "mine", "--root", folder)
        yield ("note", run, "mine", "--root", folder)
        yield ("sync", run, "--root", folder)
        yield ("sync", run, "--root", folder, "--yes")
        # One for all: what has no server to ask gives up after seconds.
        for sink in SINKS if folder.name == "raw-images" else [name for name in SINKS if name != "mlflow"]:
            yield ("sync", run, "--root", folder, "--sink", sink, *OPTIONS.get(sink, ()), "--yes")
        yield ("seal", "--all", "--root", folder)
        yield ("verify", folder)
        yield ("rm", run, "--root", folder, "--yes")
        yield ("restore", run, "--root", folder)
        yield ("rm", run, "--root", folder, "--yes")
        yield ("gc", "--root", folder, "--yes")


@pytest.mark.parametrize("name", FOLDERS)
def test_finding_s01_to_s16_every_command_survives_and_changes_nothing_outside(made, name):
    folder, out = made / "folders" / name, made / "home" / "out"
    out.mkdir(mode=0o777)
    os.chmod(out, 0o777)
    before = snapshot(made / "outside")
    for line in commands_for(folder, out):
        command(made, *line)
        assert snapshot(made / "outside") == before, f"{line} changed what is not its own"
        assert not (made / "home" / "outside").exists(), f"{line} expanded a stored variable"
    if name in REMOVED:
        assert not list((folder / "runs").iterdir()), "what removes runs leaves this one alone, and shows nothing"
    taken = [path for path, content in snapshot(made / "home").items() if b"precious" in (content if isinstance(content, bytes) else b"")]
    assert not taken, "what lies outside was exported or imported"


def test_finding_s01_to_s16_no_command_is_left_out():
    """One that is new fails here until it is tried on strangers' folders, or is known to read none."""
    said = subprocess.run([TAFFRAIL, "--help"], check=True, capture_output=True, text=True).stdout
    commands = set(re.findall(r"^  ([a-z]+)  ", said, re.MULTILINE))
    assert {"ls", "ui", "gc"} <= commands, said
    tried = {line[0] for name in ("a-run", "logdir") for line in commands_for(Path(name), Path("out"))}
    assert commands - NO_READERS == tried
    assert NO_READERS <= commands


def choices(command, name):
    """What --help lists in brackets behind an option or argument."""
    said = subprocess.run([TAFFRAIL, command, "--help"], check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "1000"}).stdout
    line = next(line for line in said.splitlines() if re.match(rf" +(-., )?{name} ", line))
    return set(re.search(r"\(([\w, ]+)\)$", line)[1].split(", "))


def test_finding_s01_to_s16_no_format_no_action_and_no_sink_is_left_out():
    lines = [line for name in ("raw-images", "logdir") for line in commands_for(Path(name), Path("out"))]
    assert choices("export", "--format") == {line[line.index("--format") + 1] for line in lines if line[0] == "export"}
    assert choices("profile", "ACTION") == {line[1] for line in lines if line[0] == "profile"}
    listed = json.loads(subprocess.run([TAFFRAIL, "list", "sinks", "--json"], check=True, capture_output=True, text=True).stdout)
    assert {one["name"] for one in listed} == {line[line.index("--sink") + 1] for line in lines if "--sink" in line} == set(SINKS)


def test_finding_s15_no_sink_writes_through_what_lies_in_its_place(made):
    """Each in its usual place, which is a link, or holds one, or a pipe."""
    folder, out = made / "folders" / "links-for-sinks", made / "outside"
    before = snapshot(out)
    for sink in ("csv", "tensorboard", "wandb", "comet", "neptune", "aim"):
        done = command(made, "sync", make.RUN, "--root", folder, "--sink", sink, *OPTIONS.get(sink, ()), "--yes")
        assert snapshot(out) == before, sink
        if b"need RocksDB" not in done.stderr:
            assert done.returncode == 1 and re.search(rb"is a link|is no ordinary file", done.stderr), (sink, done.stderr)


def registered_routes():
    """What the server's sources give to its router."""
    found = set()
    for source in (ROOT / "src" / "server").rglob("*.cpp"):
        found |= {(method.upper(), path) for method, path in re.findall(r'router_?\.(get|post)\("([^"]+)"', source.read_text())}
    return found


def test_finding_s03_to_s16_no_route_is_left_out():
    tried = {(method, path.split("?")[0]) for method, path, _ in [*routes("run"), *changes("run")]} | FOLLOWED
    assert registered_routes() == tried
    told = json.loads((ROOT / "docs" / "api" / "schema.json").read_text())["paths"]
    assert registered_routes() == {(method.upper(), path[1:]) for path, methods in told.items() for method in methods}


# Asked once for all runs, or with what another answer gave.
FOLLOWED = {("POST", "runs:query"), ("GET", "blob"), ("GET", "export"), ("GET", "state"), ("GET", "events")}


def changes(run):
    """Routes that write, after everything was read; all of it lands in the run folder or in the state folder."""
    yield "POST", "edits", {"edits": [{"runs": [run], "add_tags": ["mine"], "notes": "mine"}]}
    yield "POST", "views:save", {"project": "default", "name": "mine", "state": "x"}
    yield "POST", "views:delete", {"project": "default", "name": "mine"}
    yield "POST", "settings", {"theme": "dark"}
    yield "POST", "states", {"state": "page=charts"}
    yield "POST", "edits", {"edits": [{"runs": [run], "deleted": True}]}


def routes(run):
    """Every way to ask, with what there is to ask for."""
    yield "GET", "openapi.json", None
    yield "GET", "changes?since=0", None
    for form, shape in (("csv", "tidy"), ("csv", "wide"), ("jsonl", "tidy"), ("parquet", "tidy")):
        yield "POST", "exports", {"runs": [run], "format": form, "shape": shape}
    yield "POST", "exports", {"what": "runs", "runs": [run], "columns": ["config:lr", "metric:loss"], "format": "csv"}
    for path in ("server", "projects", "keys", f"run?run={run}", f"keys?run={run}", f"console?run={run}", f"environment?run={run}", f"files?run={run}", "views", "settings"):
        yield "GET", path, None
    yield "POST", "entries:index", {"runs": [run]}
    yield "POST", "histograms:query", {"runs": [run], "keys": ["hist"], "width": 10, "bins": 10}
    yield "POST", "series:query", {"charts": [{"runs": [run], "keys": ["loss"], "x": {"axis": "step"}, "width": 100}]}
    yield "POST", "series:points", {"series": [{"run": run, "key": "loss"}]}
    yield "POST", "series:stats", {"series": [{"run": run, "key": "loss"}]}
    for key in ("train/loss", "lone"):
        yield "POST", "series:query", {"charts": [{"runs": [run], "keys": [key], "x": {"axis": axis}, "width": 100} for axis in ("step", "epoch", "time")]}
        yield "POST", "series:points", {"series": [{"run": run, "key": key}]}
        yield "POST", "series:stats", {"series": [{"run": run, "key": key}]}
    for path in (f"profiles?run={run}", f"profile:workers?run={run}"):
        yield "GET", path, None
    for name in ("x.pt.trace.json", "profiles/x.tprof", "../outside"):
        for path in ("profile", "profile:flame", "profile:slices", "profile:slice", "profile:arrows", "profile:search", "profile:minimap", "profile:counter",
                     "profile:functions", "profile:name", "profile:analysis", "profile:difference"):
            yield "GET", f"{path}?run={run}&name={name}&id=0&words=x&before_run={run}&before_name={name}", None
    for key in ("image", "wide", "pipe", "out", "o", "x.pt.trace.json", "profiler/x.pt.trace.json"):
        yield "GET", f"entries?run={run}&key={key}", None
        for index in range(7):
            yield "GET", f"image?run={run}&key={key}&index={index}", None
            yield "GET", f"image?run={run}&key={key}&index={index}&width=1", None


# A server does not begin where nothing can be opened, which is what the commands are told too.
@pytest.mark.parametrize("name", [name for name in FOLDERS if not name.endswith("-pipes")])
def test_finding_s03_to_s16_every_route_answers_and_the_server_lives(made, name):
    folder = made / "folders" / name
    before = snapshot(made / "outside")
    state = made / "home" / "server"
    said = open(made / "home" / "server.log", "wb+")
    server = subprocess.Popen([TAFFRAIL, "ui", folder, "--port", "0", "--no-open", "--json", "--state-dir", state], env=environment(made), cwd=made / "home",
                              stdout=subprocess.PIPE, stderr=said, text=True, preexec_fn=lowered)
    try:
        base = json.loads(server.stdout.readline())["address"]
        ask = urllib.request.Request(base + "api/v1/runs:query", data=b'{"deleted": true}', headers={"Content-Type": "application/json", "Origin": base.rstrip("/")})
        runs = json.loads(urllib.request.urlopen(ask, timeout=LIMIT_S).read())["runs"]["id"] or [make.RUN]

        def get_reply(method, path, body=None):
            data = None if body is None else json.dumps(body).encode()
            headers = {"Content-Type": "application/json", "Origin": base.rstrip("/")}
            request = urllib.request.Request(base + "api/v1/" + path, data=data, method=method, headers=headers)
            try:
                reply = urllib.request.urlopen(request, timeout=LIMIT_S)
                # Events go on for ever: the first ones are enough.
                reply = reply.readline() if path.startswith("events") else reply.read()
            except urllib.error.HTTPError as error:
                reply = error.read()
                assert error.code < 500, f"{path}: {error.code} {reply[:300]}"
            except http.client.IncompleteRead as error:  # an export that meets damage is broken off
                assert path.startswith("export?"), path
                reply = error.partial
            assert b"precious" not in reply, f"{path} served what lies outside"
            return reply

        get_reply("GET", "events?since=0")
        for asked in (routes, changes):
            for run in runs:
                for method, path, body in asked(run):
                    reply = get_reply(method, path, body)
                    said_back = json.loads(reply) if reply[:1] == b"{" else {}
                    if path == "exports" and "href" in said_back:
                        get_reply("GET", said_back["href"].removeprefix("api/v1/"))
                    elif path == "states" and "hash" in said_back:
                        get_reply("GET", f"state?hash={said_back['hash']}")
                    elif path.startswith("entries?"):
                        for sha in sorted(set(re.findall(rb'"sha": ?"([0-9a-f]{64})"', reply)))[:20]:
                            get_reply("GET", f"blob?run={run}&sha={sha.decode()}")
        assert server.poll() is None, "the server is gone"
    finally:
        server.terminate()
        ended = server.wait(timeout=LIMIT_S)
        said.seek(0)
        text = said.read().decode(errors="replace")
    assert ended == 0, text[-3000:]
    assert "Sanitizer" not in text and "runtime error" not in text, text[-3000:]
    assert snapshot(made / "outside") == before


def peak_kib(process):
    """Largest resident memory of this process alone, once it ended."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss


@pytest.mark.parametrize("name,line", [("far-keys", ("ls",)), ("logdir-files", ("show",)), ("raw-images", ("ls",))])
def test_finding_s16_small_folders_take_little_memory(made, name, line):
    """Against the same command on nothing, so that the build's own weight does not count."""
    def peak(*arguments):
        with open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen([TAFFRAIL, *map(str, arguments)], env=environment(made), cwd=made / "home", stdin=subprocess.DEVNULL, stdout=nowhere,
                                       stderr=nowhere, preexec_fn=lowered)
            return peak_kib(process)
    alone = peak("version")
    assert peak(*line, made / "folders" / name) - alone < 200_000, "KiB"


def test_finding_s16_a_small_copy_of_a_large_picture_takes_little_memory(made):
    """64 million pixels were unpacked for a copy one pixel wide."""
    server = subprocess.Popen([TAFFRAIL, "ui", made / "folders" / "png-bomb", "--port", "0", "--no-open", "--json", "--state-dir", made / "home" / "server"],
                              env=environment(made), cwd=made / "home", stdout=subprocess.PIPE, text=True, preexec_fn=lowered)
    base = json.loads(server.stdout.readline())["address"]

    def resident():
        return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())[1])

    try:
        urllib.request.urlopen(f"{base}api/v1/entries?run={make.RUN}&key=image", timeout=LIMIT_S).read()
        before = resident()
        try:
            urllib.request.urlopen(f"{base}api/v1/image?run={make.RUN}&key=image&index=0&width=1", timeout=LIMIT_S).read()
        except urllib.error.HTTPError as error:
            assert error.code < 500, error.read()
        assert resident() - before < 200_000, "KiB"
    finally:
        server.terminate()
        assert server.wait(timeout=LIMIT_S) == 0
