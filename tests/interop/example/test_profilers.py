"""The digits example with each profiler: its tables at the end, on Ctrl-C, on every rank, and what Python's own pstats reads of its files."""

import gzip
import json
import os
import pstats
import re
import signal
import subprocess
import time
import urllib.request

import pytest

from test_example import PROGRAM, QUICK, ROOT, TAFFRAIL, run

SEED = ROOT / "tests" / "data" / "profiling" / "simple_table.txt"
PROFILERS = ["basic", "simple", "advanced", "trace"]
COLUMNS = ["Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"]


def table(text):
    """(seconds of the whole, name -> (mean, calls, total, share)); the same reader for the documented table and ours."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith("Action"))
    assert [cell.strip() for cell in lines[start].split("|")[:5]] == COLUMNS
    rows, total = {}, None
    for line in lines[start + 1:]:
        if not line.strip():
            break
        if set(line.strip()) == {"-"}:
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if cells[0] == "Total":
            assert cells[1:5] == ["-", "_", cells[3], "100 %"]
            total = float(cells[3])
        else:
            rows[cells[0]] = tuple(float(cell) for cell in cells[1:5])
    return total, rows


def check(rows):
    for name, (mean, calls, total, _) in rows.items():
        assert abs(mean * calls - total) <= 2e-4 * total + 1e-12, name
    shares = [row[3] for row in rows.values()]
    assert shares == sorted(shares, reverse=True)


def names_with_a_reason():
    page = (ROOT / "docs" / "guide" / "training.md").read_text().split("## Hooks of older trainers")[1].split("\n## ")[0]
    return set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))))


def test_simple_has_every_name_of_the_documented_table_or_its_reason(tmp_path):
    total, documented = table(SEED.read_text())
    assert total == 29.42 and len(documented) == 33
    check(documented)
    out = run(tmp_path, *QUICK, "profiler=simple").stdout
    seconds, ours = table(out)
    check(ours)
    assert not [name for name in documented if name not in ours and name not in names_with_a_reason()]
    assert ours["run_training_batch"][1] == 10 and ours["run_training_epoch"][1] == 1
    assert 0 < ours["run_training_epoch"][2] < seconds
    for number in re.findall(r"\|\s+([\d.e+-]+)\s+", out):
        digits = number.split("e")[0].replace(".", "").replace("-", "").lstrip("0")
        assert len(digits) <= 5 or "." not in number, number
    tree = out.split("zones as a tree")[1]
    shares = [float(value) for value in re.findall(r"\s(\d+\.\d\d)  +[\d.]+ (?:ns|us|ms|s )  +[\d.]+ (?:ns|us|ms|s )  +[\d.]+ (?:ns|us|ms|s )", tree)]
    assert len(shares) > 20 and abs(sum(shares) - 100) < 0.5, sum(shares)
    assert "[Module]DigitsModule.training_step" in tree
    kept = list((tmp_path / "taffrail").rglob("profiles/fit-profiler.txt"))
    assert len(kept) == 1 and table(kept[0].read_text())[1].keys() == ours.keys()


def test_basic_gives_the_means_of_tagged_functions(tmp_path):
    out = run(tmp_path, *QUICK, "+logging.enable_profiler=true").stdout
    rows = re.findall(r"^(\S.*?)\s*: (\d+\.\d{4})$", out.split("mean seconds of each tagged function")[1], re.M)
    means = [float(mean) for _, mean in rows]
    assert means == sorted(means, reverse=True)
    assert {"vae_digits::DigitsModule::training_step", "Model::gather"} <= {name for name, _ in rows}
    assert not [name for name, _ in rows if "on_train" in name or "log_number" in name], "only what is tagged"


def test_advanced_is_read_by_pstats(tmp_path):
    out = run(tmp_path, *QUICK, "profiler=advanced").stdout
    assert out.count("Profile stats for: ") > 20
    folder = next((tmp_path / "taffrail").rglob("profiles"))
    stats = pstats.Stats(str(folder / "fit-profiler-run_training_epoch.prof"))
    calls = {name: (primitive, number) for (_, _, name), (primitive, number, *_) in stats.stats.items()}
    assert calls["run_training_epoch"] == (1, 1)
    assert calls["run_training_batch"] == (10, 10)
    assert calls["Model::gather"] == (10, 10)
    seconds = sum(row[2] for row in stats.stats.values())
    whole = next(row[3] for key, row in stats.stats.items() if key[2] == "run_training_epoch")
    assert abs(seconds - whole) < 1e-6 * len(stats.stats)
    files = {path.name for path in folder.glob("*.prof")}
    assert len(files) == out.count("Profile stats for: ")
    assert not [name for name in files if set(name) & set("<>:\"/\\|?*[] ")]


def steps_told(profiler, text):
    """How many batches the report of a stage speaks of; None where there is no whole table."""
    if profiler == "basic":
        rows = re.findall(r"^(\S.*?)\s*: (\d+\.\d{4})$", text.partition("mean seconds of each tagged function")[2], re.M)
        return 1 if "vae_digits::DigitsModule::training_step" in dict(rows) else None
    if profiler == "simple":
        rows = table(text)[1]
        check(rows)
        return int(rows["run_training_batch"][1])
    if profiler == "advanced":
        found = re.search(r"^Profile stats for: run_training_batch(?: rank: \d)?$(?:(?!Profile stats).)*?^ *(\d+) [\d. ]* run_training_batch$", text, re.M | re.S)
        return int(found[1]) if found else None
    return 1 if re.search(r"\S+\.pt\.trace\.json\.gz", text) or "no trace" in text else None


def running(tmp_path, *words):
    return subprocess.Popen([*map(str, words), "trainer.enable_progress_bar=false", "trainer.max_epochs=1000"], cwd=tmp_path, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TAFFRAIL_DIR": str(tmp_path / "taffrail")})


def wait_for_the_loop(tmp_path, ranks):
    """The first zone of a rank makes its file, and that is in the loop; wherever it is then, the report comes."""
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "taffrail").rglob("profiles/*.tprof"))) < ranks and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)


@pytest.mark.parametrize("profiler", PROFILERS)
def test_ctrl_c_still_gives_the_table(tmp_path, profiler):
    process = running(tmp_path, PROGRAM, f"profiler={profiler}")
    wait_for_the_loop(tmp_path, 1)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, out + errors
    assert "FIT Profiler Report" in out
    assert steps_told(profiler, out)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("profiler", PROFILERS)
def test_an_exception_in_the_middle_still_gives_the_table(tmp_path, profiler, workers):
    done = run(tmp_path, *QUICK, f"profiler={profiler}", "+profiler.wait=0" if profiler == "trace" else "data.batch_size=64", "data.unreadable_batch=5",
               f"data.workers={workers}", check=1)
    assert "batch 5 cannot be read" in done.stderr
    assert done.stdout.count("FIT Profiler Report") == 1
    assert steps_told(profiler, done.stdout) in (1, 4)
    if profiler in ("simple", "advanced"):
        assert steps_told(profiler, done.stdout) == 4, "the batches before it"
    shown = json.loads(command("show", "--root", str(tmp_path / "taffrail"), "--json"))
    assert shown["run"]["state"] == "failed" and "batch 5 cannot be read" in shown["run"]["message"]


LAUNCHER = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]


def check_ranks(tmp_path, out, profiler):
    heads = [f"FIT Profiler Report (rank {rank})" for rank in range(2)]
    assert [out.count(head) for head in heads] == [1, 1]
    if profiler == "trace":
        traces = [json.loads(gzip.decompress(path.read_bytes())) for path in (tmp_path / "taffrail").rglob("profiles/*.pt.trace.json.gz")]
        assert sorted(trace["distributedInfo"]["rank"] for trace in traces) == [0, 1]
        assert all(any(event["name"].startswith("ProfilerStep#") for event in trace["traceEvents"]) for trace in traces)
        return
    files = {path.name: path.read_text() for path in (tmp_path / "taffrail").rglob("profiles/*.txt")}
    assert files.keys() == {"fit-profiler-0.txt", "fit-profiler-1.txt"}
    for rank, text in enumerate(text for _, text in sorted(files.items())):
        assert text.startswith(heads[rank]) and steps_told(profiler, text), text


@pytest.mark.parametrize("profiler", PROFILERS)
def test_each_of_two_ranks_has_its_own(tmp_path, profiler):
    done = subprocess.run([*LAUNCHER, str(PROGRAM), *QUICK, f"profiler={profiler}"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "TAFFRAIL_DIR": str(tmp_path / "taffrail")})
    assert done.returncode == 0, done.stdout + done.stderr
    check_ranks(tmp_path, done.stdout, profiler)


@pytest.mark.parametrize("profiler", PROFILERS)
def test_each_of_two_ranks_has_its_own_after_an_exception(tmp_path, profiler):
    done = subprocess.run([*LAUNCHER, str(PROGRAM), *QUICK, f"profiler={profiler}", "data.unreadable_batch=4"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=120, env={**os.environ, "TAFFRAIL_DIR": str(tmp_path / "taffrail")})
    assert done.returncode != 0, done.stdout + done.stderr
    assert "batch 4 cannot be read" in done.stderr
    check_ranks(tmp_path, done.stdout, profiler)


@pytest.mark.parametrize("profiler", PROFILERS)
def test_each_of_two_ranks_has_its_own_after_ctrl_c(tmp_path, profiler):
    process = running(tmp_path, *LAUNCHER, PROGRAM, f"profiler={profiler}")
    wait_for_the_loop(tmp_path, 2)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode != 0, out + errors
    check_ranks(tmp_path, out, profiler)


def command(*words, check=0):
    done = subprocess.run([TAFFRAIL, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout


def only_profile(tmp_path):
    files = list((tmp_path / "taffrail").rglob("profiles/*.tprof"))
    assert len(files) == 1, files
    return files[0]


def test_a_run_keeps_its_zones_and_the_commands_know_them(tmp_path):
    run(tmp_path, *QUICK)
    file = only_profile(tmp_path)
    root = str(tmp_path / "taffrail")
    shown = command("show", "--root", root)
    assert "PROFILES" in shown and file.name in shown
    said = json.loads(command("show", "--root", root, "--json"))
    assert said["profiles"] == [{"name": file.name, "bytes": file.stat().st_size}] and said["open_zones"] == []
    assert not list(file.parent.glob("*.open")), "nothing is open in a finished run"
    before = file.read_bytes()
    command("seal", "--all", "--root", root)
    assert file.read_bytes() == before, "sealing leaves profiles alone"
    assert "whole" in command("verify", "--root", root)
    used = json.loads(command("du", "--root", root, "--json"))
    assert used[0]["other"] >= file.stat().st_size
    copies = tmp_path / "copies"
    command("import", root, "--root", str(copies))
    copied = list(copies.rglob("profiles/*.tprof"))
    assert [path.read_bytes() for path in copied] == [before], "a copy takes profiles along"
    command("gc", "--root", root)
    assert file.read_bytes() == before, "nor does clearing up touch them"
    middle = len(before) // 2
    file.write_bytes(before[:middle] + bytes([before[middle] ^ 1]) + before[middle + 1:])
    said = command("verify", "--root", root, check=1)
    assert "bytes that are no frame" in said and "not those that the manifest lists" in said


def killed(folder):
    """The number of a process that was killed in the middle of its training, and which zones it says that it was in."""
    folder.mkdir()
    root = str(folder / "taffrail")
    process = subprocess.Popen([str(PROGRAM), "trainer.enable_progress_bar=false", "trainer.max_epochs=1000"], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**os.environ, "TAFFRAIL_DIR": root})
    deadline = time.monotonic() + 60
    # Its first zone made the file.
    while not list(folder.rglob("profiles/*.open")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.kill()
    process.wait(timeout=60)
    assert "whole" in command("verify", "--root", root)
    only_profile(folder)
    return process.pid, json.loads(command("show", "--root", root, "--json"))["open_zones"]


def test_a_killed_run_says_what_it_was_in(tmp_path):
    # By far most of its time is in zones: it is killed again until it was in one.
    for attempt in range(20):
        process, zones = killed(tmp_path / str(attempt))
        for line in zones:
            assert re.search(r"^(Model::|vae_digits::DigitsModule::)", line) and f"process {process}" in line, line
        if zones:
            return
    raise AssertionError("killed twenty times, and never in a zone")


@pytest.mark.parametrize("profiler", ["trace", "pytorch"])
def test_trace_is_a_file_of_the_steps_in_the_run(tmp_path, profiler):
    out = run(tmp_path, *QUICK, f"profiler={profiler}", "+profiler.repeat=2", "+profiler.wait=0").stdout
    files = sorted((tmp_path / "taffrail").rglob("profiles/*.pt.trace.json.gz"))
    assert len(files) == 2 and all(re.fullmatch(r".+_\d+\.\d{16,}\.pt\.trace\.json\.gz", path.name) for path in files)
    assert [out.count(path.name) for path in files] == [1, 1]
    steps = []
    for path in files:
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        names = [event["name"] for event in events if event["ph"] == "X"]
        steps.append(sorted(name for name in names if name.startswith("ProfilerStep#")))
        assert names.count("run_training_batch") == 3 and names.count("Model::gather") == 3
    assert steps == [["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"], ["ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"]]


def listed_by_the_page(root, run_id):
    """What the page Profile offers for a run, the first of which it opens."""
    server = subprocess.Popen([TAFFRAIL, "ui", root, "--port", "0", "--no-open", "--json", "--state-dir", f"{root}/state"], stdout=subprocess.PIPE, text=True)
    try:
        address = json.loads(server.stdout.readline())["address"].split("#")[0]
        with urllib.request.urlopen(f"{address}api/v1/profiles?run={run_id}", timeout=60) as reply:
            return [profile["name"] for profile in json.load(reply)["profiles"]]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


def test_a_traced_run_is_analysed_and_shown_by_its_newest_trace(tmp_path):
    run(tmp_path, *QUICK, "profiler=trace", "+profiler.repeat=2", "+profiler.wait=0")
    root = str(tmp_path / "taffrail")
    newest = max((tmp_path / "taffrail").rglob("profiles/*.pt.trace.json.gz"), key=lambda path: path.stat().st_mtime_ns)
    run_id = json.loads(command("ls", root, "--json"))[0]["id"]
    found = json.loads(command("profile", "analyze", run_id, "--root", root, "--json"))["traces"][0]
    assert [step["name"] for step in found["steps"]["steps"]] == ["5", "6", "7"]
    listed = listed_by_the_page(root, run_id)
    assert len(listed) == 3 and listed[0] == f"profiles/{newest.name}" and listed[2].endswith(".tprof")


def test_the_report_of_a_profiler_is_not_offered_as_a_profile(tmp_path):
    run(tmp_path, *QUICK, "profiler=basic")
    root = str(tmp_path / "taffrail")
    assert (only_profile(tmp_path).parent / "fit-profiler.txt").exists()
    assert listed_by_the_page(root, json.loads(command("ls", root, "--json"))[0]["id"]) == [f"profiles/{only_profile(tmp_path).name}"]
