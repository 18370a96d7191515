"""The digits example as a program: what it prints, writes and records."""

import csv
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).parents[3]
BUILD = pathlib.Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))
PROGRAM = BUILD / "examples" / "vae_digits" / "vae_digits"
TAFFRAIL = BUILD / "bin" / "taffrail"
QUICK = ["trainer.max_epochs=1", "data.train_digits=640", "data.held_out_digits=100", "model.hidden=64"]


def run(folder, *words, timeout=120, check=0, **environment):
    done = subprocess.run([str(PROGRAM), *words], cwd=folder, capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, "TAFFRAIL_DIR": str(folder / "taffrail"), **environment})
    assert done.returncode == check, done.stdout + done.stderr
    return done


def keys(folder):
    """Keys of a store or of a logdir of TensorBoard, and all its points."""
    out = subprocess.run([TAFFRAIL, "export", folder, "--format", "jsonl"], capture_output=True, text=True, timeout=60, check=True).stdout
    return set(re.findall(r'"key": ?"([^"]*)"', out)), out


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def test_trains_to_good_reconstructions_in_time(tmp_path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    quality = float(re.search(r"held-out PSNR ([\d.]+) dB", done.stdout)[1])
    assert quality >= 21, done.stdout
    # 20 s on two cores. Work and not waiting is counted, since a loaded machine makes it wait.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2 * 20
    for name in ("orig_data.png", "reconstructions.png", "generated_samples.png"):
        assert min(png_size(tmp_path / name)) > 100


def test_same_seed_gives_the_same_result(tmp_path):
    results = {re.search(r"PSNR ([\d.]+)", run(tmp_path, *QUICK).stdout)[1] for _ in range(2)}
    assert len(results) == 1
    assert run(tmp_path, *QUICK, "seed=8").stdout.split("dB")[0] not in results


def kinds_of_the_library():
    """As Kind is written in exports."""
    text = (ROOT / "src" / "base" / "value.cpp").read_text()
    return set(re.findall(r'case Kind::\w+:\s+return "(\w+)"', text))


def test_logs_every_kind(tmp_path):
    run(tmp_path, *QUICK)
    found, out = keys(tmp_path / "taffrail")
    kinds = set(re.findall(r'"kind": ?"([^"]*)"', out))
    assert {"scalar", "image", "artifact", "alert", "note"} <= kinds_of_the_library()
    # Of these two only sinks are told as records; readers have them as facts of the run.
    told_to_sinks = {"metric_definition", "summary"}
    assert kinds == kinds_of_the_library() - told_to_sinks, kinds_of_the_library() - kinds
    assert {"train/loss", "val/psnr_db", "val/reconstructions", "latent/embedding", "generated/walk"} <= found


def test_prints_its_configuration(tmp_path):
    out = run(tmp_path, "--cfg", "trainer.max_epochs=3", "+extra.key=1").stdout
    assert "max_epochs: 3" in out and "extra:\n  key: 1" in out
    assert not (tmp_path / "taffrail").exists()


@pytest.mark.parametrize("word,message", [
    ("profiler=fast", "group 'profiler' has no option 'fast' (known: advanced, basic, none, pytorch, simple, trace)"),
    ("trainer.max_epoch=1", "did you mean 'trainer.max_epochs'"),
    ("trainer.max_epochs=many", "a whole number"),
    ("logger=nowhere", "group 'logger' has no option 'nowhere'"),
    ("experiment=nothing", "group 'experiment' has no option 'nothing' (known: vae_csv, vae_tensorboard)"),
    ("+experiment=nothing", "group 'experiment' has no option 'nothing'"),
    ("experiment=vae_tensorbord", "did you mean 'vae_tensorboard'"),
    ("--bogus", "unknown option"),
    ("model.latent=0", "at least 3"),
])
def test_mistakes_exit_2_and_say_what_to_do(tmp_path, word, message):
    done = run(tmp_path, word, check=2)
    assert message in done.stderr and "Traceback" not in done.stderr


def test_quality_is_told_by_an_alert_and_the_weights_are_kept(tmp_path):
    run(tmp_path, *QUICK, "notes=of a test")
    out = subprocess.run([TAFFRAIL, "export", tmp_path / "taffrail", "--format", "jsonl"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "poor reconstructions" in out and "trainer.max_epochs" in out, "one epoch of few digits is not enough"
    parameters = 784 * 64 + 64 + 2 * (64 * 16 + 16) + 16 * 64 + 64 + 64 * 784 + 784
    assert (tmp_path / "weights.f32").stat().st_size == 4 * parameters
    kept = [path for path in (tmp_path / "taffrail").rglob("*") if path.is_file() and path.stat().st_size >= 4 * parameters]
    assert kept, "the artifact is in the run"
    shown = subprocess.run([TAFFRAIL, "show", "--root", tmp_path / "taffrail", "vae-digits"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "of a test" in shown


@pytest.mark.parametrize("words", [["experiment=vae_tensorboard"], ["experiment=vae_csv"], ["--config-name", "graphs_default"]])
def test_configurations_of_the_repository_are_found_from_any_folder(tmp_path, words):
    out = run(tmp_path, *words, "--cfg").stdout
    assert "tensorboard" in out or "csv" in out


def test_without_configurations_it_says_where_it_looked(tmp_path):
    alone = tmp_path / "alone" / "vae_digits"
    alone.parent.mkdir()
    shutil.copy(PROGRAM, alone)
    done = subprocess.run([alone, "experiment=vae_csv"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"no file experiment/vae_csv.yaml in {tmp_path}/configs (does not exist)" in done.stderr
    assert "--config-dir" in done.stderr and "TAFFRAIL_CONFIG_PATH" in done.stderr and "+experiment" not in done.stderr
    for remedy, environment in ((["--config-dir", ROOT / "configs"], {}), ([], {"TAFFRAIL_CONFIG_PATH": str(ROOT / "configs")})):
        done = subprocess.run([alone, *remedy, "experiment=vae_csv", "--cfg"], cwd=tmp_path, capture_output=True, text=True, timeout=60,
                              env={**os.environ, **environment})
        assert done.returncode == 0 and "log_dir: ./csv" in done.stdout, done.stderr


def means_in_blocks(out):
    """The reconstruction loss in the status blocks, by phase."""
    return {phase: float(value) for phase, value in re.findall(r"^(train|val)  epoch.*\n +.*?reconstruction_loss +([\d.]+)", out, re.M)}


def test_status_blocks_say_what_the_table_says(tmp_path):
    done = run(tmp_path, "experiment=vae_csv", *QUICK, "trainer.enable_progress_bar=false")
    with next((tmp_path / "csv").rglob("metrics.csv")).open() as file:
        rows = list(csv.DictReader(file))
    for phase in ("train", "val"):
        mean, = [float(row[f"Metric-EpochWise/reconstruction_loss/{phase}"]) for row in rows if row.get(f"Metric-EpochWise/reconstruction_loss/{phase}")]
        assert means_in_blocks(done.stdout)[phase] == pytest.approx(mean, abs=1e-3), done.stdout


def test_interval_thins_the_tracker_and_nothing_else(tmp_path):
    means = set()
    for every in (1, 4):
        folder = tmp_path / str(every)
        folder.mkdir()
        run(folder, "experiment=vae_csv", f"+logger.csv.config.log_every_n_iter={every}", *QUICK)
        points = [json.loads(line) for line in keys(folder / "taffrail")[1].splitlines()]
        def of(key):
            return [(point["step"], point["value"]) for point in points if point.get("key") == key]
        assert [step for step, _ in of("Metric-BatchWise/reconstruction_loss/train")] == list(range(10))
        assert [step for step, _ in of("Metric-BatchWise/reconstruction_loss/val")] == [0]
        means.add(of("Metric-EpochWise/reconstruction_loss/train")[0][1])
        with next((folder / "csv").rglob("metrics.csv")).open() as file:
            rows = list(csv.DictReader(file))
        sent = [int(row["step"]) for row in rows if row["Metric-BatchWise/reconstruction_loss/train"]]
        assert sent == list(range(0, 10, every))
    assert len(means) == 1, means


def test_profiler_that_is_lacking_is_refused_with_its_place(tmp_path):
    experiment(tmp_path, "mine", "logging:\n  profiler: fast\n")
    done = run(tmp_path, "experiment=mine", check=2)
    assert re.search(r"mine\.yaml:2:3: .*'fast'", done.stderr), done.stderr


def experiment(tmp_path, name, text):
    (tmp_path / "configs" / "experiment").mkdir(parents=True, exist_ok=True)
    (tmp_path / "configs" / "experiment" / f"{name}.yaml").write_text(text)


DATA = ROOT / "tests" / "data" / "config"


def test_logging_block_drives_a_run_as_it_stands(tmp_path):
    text = (DATA / "logging_block.yaml").read_text()
    experiment(tmp_path, "graphs_default", text)
    done = run(tmp_path, "experiment=graphs_default", *QUICK, "trainer.enable_progress_bar=false")
    header = next(line for line in done.stdout.splitlines() if line.startswith("Step (% Done)"))
    assert re.split(r"  +", header)[1:] == ["Train Iter (time)", "Train Rays / Sec", "Test PSNR"]
    steps = [int(line.split()[0]) for line in done.stdout.splitlines() if re.match(r"\d+ \(", line)]
    assert steps and all(step % 10 == 0 for step in steps)
    # The event file stands in the folder of the run; read from a place of its own, so that nothing else is found there.
    (event_file,) = tmp_path.glob("events.out.tfevents.*")
    (tmp_path / "logdir").mkdir()
    event_file.rename(tmp_path / "logdir" / event_file.name)
    found, _ = keys(tmp_path / "logdir")
    assert found == {"Train Iter (time)", "Train Total (time)", "ETA (time)", "Train Rays / Sec", "Train Loss", "Test PSNR",
                     "Eval Images/reconstructions"}
    assert [path.name for path in tmp_path.glob("*.png") if "reconstructions_" in path.name or "reconstructions-" in path.name], "LocalWriter saves images"


EXPERIMENT = (DATA / "experiment" / "experiment_block.yaml").read_text()


def test_experiment_with_tensorboard_drives_a_run(tmp_path):
    text = EXPERIMENT.replace("override /logger: aim", "override /logger: tensorboard").replace("  aim:", "  tensorboard:")
    experiment(tmp_path, "page", text)
    run(tmp_path, "experiment=page", "+logger.tensorboard.config.log_dir=tb", *QUICK)
    expected = {"hparams"}
    for phase in ("train", "val"):
        for name in ("reconstruction_loss", "regularization_loss"):
            expected |= {f"{family}/{name}/{phase}" for family in ("Metric-BatchWise", "Metric-EpochWise", "Metric-Hist")}
        expected |= {f"Image/{name}/{phase}" for name in ("render_gt", "render_rec_gt", "render_rec")}
        expected.add(f"Hist/hist_loss/{phase}")
    found, _ = keys(tmp_path / "tb")
    assert found == expected


def test_logging_block_with_wandb_drives_a_run(tmp_path):
    text = (DATA / "logging_block.yaml").read_text().replace("TensorboardWriter:", "WandbWriter:")
    experiment(tmp_path, "graphs_default", text)
    run(tmp_path, "experiment=graphs_default", *QUICK, "trainer.enable_progress_bar=false")
    assert list(tmp_path.glob("wandb/offline-run-*/files/media/images/**/*.png"))
    found, _ = keys(tmp_path / "wandb")
    assert {"Train Iter (time)", "Train Rays / Sec", "Train Loss", "Test PSNR", "Eval Images/reconstructions"} <= found


def test_experiment_with_wandb_drives_a_run(tmp_path):
    text = EXPERIMENT.replace("override /logger: aim", "override /logger: wandb").replace("  aim:", "  wandb:")
    experiment(tmp_path, "page", text)
    run(tmp_path, "experiment=page", "+logger.wandb.config.log_dir=wb", *QUICK)
    found, _ = keys(tmp_path / "wb")
    for phase in ("train", "val"):
        assert {f"Metric-BatchWise/{name}/{phase}" for name in ("reconstruction_loss", "regularization_loss")} <= found
        assert {f"Image/{name}/{phase}" for name in ("render_gt", "render_rec_gt", "render_rec")} <= found
        assert f"Hist/hist_loss/{phase}" in found


@pytest.mark.parametrize("tracker", ["comet", "neptune"])
def test_experiment_with_a_tracker_drives_a_run(tmp_path, tracker):
    text = EXPERIMENT.replace("override /logger: aim", f"override /logger: {tracker}").replace("  aim:", f"  {tracker}:")
    experiment(tmp_path, "page", text)
    run(tmp_path, "experiment=page", f"+logger.{tracker}.config.log_dir=tracker", *QUICK)
    found, _ = keys(tmp_path / "tracker")
    for phase in ("train", "val"):
        assert {f"Metric-BatchWise/{name}/{phase}" for name in ("reconstruction_loss", "regularization_loss")} <= found
        assert {f"Image/{name}/{phase}" for name in ("render_gt", "render_rec_gt", "render_rec")} <= {key.removesuffix("/image0.png") for key in found}
        assert f"Hist/hist_loss/{phase}" in found


@pytest.mark.parametrize("tracker,left", [("Comet", "*.zip"), ("Neptune", "*/run_operations.sqlite3"), ("Aim", ".aim")])
def test_logging_block_with_a_tracker_drives_a_run(tmp_path, tracker, left):
    text = (DATA / "logging_block.yaml").read_text().replace("TensorboardWriter:", f"{tracker}Writer:")
    experiment(tmp_path, "graphs_default", text)
    run(tmp_path, "experiment=graphs_default", *QUICK, "trainer.enable_progress_bar=false")
    (place,) = {path.parent for path in tmp_path.glob(left)}
    if tracker == "Aim":  # beside it is our own store
        (tmp_path / "repository").mkdir()
        place = (tmp_path / ".aim").rename(tmp_path / "repository/.aim").parent
    found, _ = keys(place)
    assert {"Train Iter (time)", "Train Rays / Sec", "Train Loss", "Test PSNR"} <= found


TWO_TRACKERS = """
defaults:
  - override /logger: [csv, tensorboard]
logger:
  csv:
    config:
      log_dir: table
      loggers: [metric, image]
      tracked_variables: {metric: [reconstruction_loss], image: [render_gt]}
  tensorboard:
    config:
      log_dir: tb
      log_every_n_iter: 5
      loggers: [metric, image]
      tracked_variables: {metric: [reconstruction_loss, regularization_loss], image: [render_gt]}
"""


def test_two_trackers_of_one_name_get_it_each_and_the_run_keeps_it_once(tmp_path):
    experiment(tmp_path, "both", TWO_TRACKERS)
    run(tmp_path, "experiment=both", *QUICK)
    def steps(folder, key):
        return [point["step"] for point in map(json.loads, keys(folder)[1].splitlines()) if point.get("key") == key]
    for name in ("Metric-BatchWise/reconstruction_loss/train", "Metric-BatchWise/regularization_loss/train", "Image/render_gt/train"):
        assert steps(tmp_path / "taffrail", name) == list(range(10)), name
        assert steps(tmp_path / "tb", name) == [0, 5], name
    for name in ("Metric-EpochWise/reconstruction_loss/train", "Metric-Hist/reconstruction_loss/train"):
        assert steps(tmp_path / "taffrail", name) == steps(tmp_path / "tb", name) == [0], name
    with next((tmp_path / "table").rglob("metrics.csv")).open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows if row["Metric-BatchWise/reconstruction_loss/train"]] == list(range(10))


@pytest.mark.parametrize("override,block", [("tensorboard", "aim"), ("aim", "tensorboard")])
def test_experiment_with_one_name_replaced_is_refused(tmp_path, override, block):
    text = EXPERIMENT.replace("override /logger: aim", f"override /logger: {override}").replace("  aim:", f"  {block}:")
    experiment(tmp_path, "page", text)
    done = run(tmp_path, "experiment=page", *QUICK, check=2)
    assert re.search(rf"page\.yaml:\d+:\d+: the block 'logger\.{block}' does not match the chosen logger '{override}'", done.stderr), done.stderr
    assert not (tmp_path / "taffrail").exists(), "no run was begun"


def test_experiment_as_printed_drives_a_run(tmp_path):
    experiment(tmp_path, "page", EXPERIMENT)
    run(tmp_path, "experiment=page", "+logger.aim.config.log_dir=repo", *QUICK)
    found, _ = keys(tmp_path / "repo")
    assert any("reconstruction_loss" in key for key in found) and any("render_rec" in key for key in found)


@pytest.mark.parametrize("tracker,place,without,package", [
    ("aim", "log_dir=repo", "ROCKSDB_MODULE", "librocksdb"), ("aim", "log_dir=repo", "SQLITE_LIBRARY", "libsqlite3-0"), ("neptune", "log_dir=logs", "SQLITE_LIBRARY", "libsqlite3-0"),
    ("mlflow", "tracking_uri=http://127.0.0.1:9", "CURL_LIBRARY", "libcurl4"), ("wandb", "mode=online", "CURL_LIBRARY", "libcurl4")])
def test_interface_whose_component_is_missing_is_refused(tmp_path, tracker, place, without, package):
    text = EXPERIMENT.replace("override /logger: aim", f"override /logger: {tracker}").replace("  aim:", f"  {tracker}:")
    experiment(tmp_path, "page", text)
    done = run(tmp_path, "experiment=page", f"+logger.{tracker}.config.{place}", *QUICK, check=2, WANDB_API_KEY="x" * 40, **{f"TAFFRAIL_{without}": str(tmp_path / "none.so")})
    assert package in done.stderr, "it names the package to install"
    assert not (tmp_path / "taffrail").exists()


def test_list_publishes_keys_and_classes():
    out = subprocess.run([TAFFRAIL, "list", "--json"], capture_output=True, text=True, timeout=60, check=True).stdout
    listed = {(one["group"], one["name"]): one for one in json.loads(out)}
    classes = {"metric": "MetricLogger", "hist": "HistogramLogger", "hparams": "HyperparameterLogger", "image": "ImageLogger", "mesh": "MeshLogger",
               "video": "VideoLogger", "text": "TextLogger", "audio": "AudioLogger", "table": "TableLogger", "graph": "GraphLogger"}
    for key, name in classes.items():
        assert name in listed["routines", key].values(), listed
    trackers = {"aim", "comet", "mlflow", "neptune", "wandb"}
    assert {"csv", "tensorboard", "terminal"} | trackers <= {name for group, name in listed if group == "sinks"}
    assert {"tensorboard"} | trackers <= {name for group, name in listed if group == "sources"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_finding_t02_a_signal_aborts_the_run_and_exits_as_shells_expect(tmp_path, number):
    """The program does nothing for it by hand: it returns what the trainer says and finishes its run."""
    process = subprocess.Popen([str(PROGRAM), "trainer.max_epochs=500", "trainer.enable_progress_bar=false"], cwd=tmp_path,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, "TAFFRAIL_DIR": str(tmp_path / "taffrail")})
    end = time.monotonic() + 60
    while b'"train/loss"' not in subprocess.run([TAFFRAIL, "export", tmp_path / "taffrail", "--format", "jsonl"], capture_output=True, timeout=60).stdout:
        assert time.monotonic() < end and process.poll() is None, "the training does not begin"
        time.sleep(0.1)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + number, out
    assert "held-out PSNR" in out
    shown = json.loads(subprocess.run([TAFFRAIL, "show", "--root", tmp_path / "taffrail", "--json"], capture_output=True, text=True, timeout=60, check=True).stdout)
    assert shown["run"]["state"] == "aborted", shown["run"]
    assert ("Ctrl-C" if number == signal.SIGINT else "SIGTERM") in shown["run"]["message"], shown["run"]


def test_demo_command_trains_into_the_root_with_the_settings_given(tmp_path):
    root = tmp_path / "there"
    done = subprocess.run([TAFFRAIL, "demo", "--root", root, "--", *QUICK, "seed=8"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"Look at it with: taffrail ui {root}\n")
    assert not (tmp_path / "taffrail").exists()
    shown = json.loads(subprocess.run([TAFFRAIL, "show", "--root", root, "--json"], capture_output=True, text=True, timeout=60, check=True).stdout)
    assert shown["run"]["config"]["seed"] == 8
    for words in (["genrate"], ["--runs", "3"], ["no.such.setting=1"]):
        wrong = subprocess.run([TAFFRAIL, "demo", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert wrong.returncode == 2, words
    assert not (tmp_path / "taffrail").exists()


@pytest.mark.parametrize("opens", [True, False])
def test_demo_command_opens_the_dashboard_on_a_terminal_unless_told_to_end(tmp_path, opens):
    words = ["taffrail", "demo", "--root", str(tmp_path / "there"), *([] if opens else ["--exit"]), "--", *QUICK, f"output_dir={tmp_path}"]
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    process, terminal = pty.fork()
    if process == 0:
        os.execve(TAFFRAIL, words, environment)
    printed, address, told_to_end = b"", b"", False
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        printed += part
        if b"Ctrl-C ends" in printed and not told_to_end:
            told_to_end = True
            address = re.search(rb"http://127[^\s\x1b]+", printed)[0]
            assert urllib.request.urlopen(address.decode() + "api/v1/server", timeout=20).status == 200
            os.write(terminal, b"\x03")
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 0, printed
    assert bool(address) == opens and b"Look at it with: taffrail ui" in printed
