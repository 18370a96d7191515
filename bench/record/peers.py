"""What other trackers spend on a point: CPU of all their processes and bytes on disk, offline, with their best settings.

    python peers.py [--quick] [--ours MICROSECONDS] [--ours-bytes BYTES]

One JSON object a row. Each peer runs in processes of its own, with a small and a large load; the slope between the two is
the cost of a point, so imports and start-up count for nobody. A peer that is not installed gives "met": null.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

WIDTH = 20
KEYS = [f"train/metric_{i}" for i in range(WIDTH)]


def values(step):
    return [1.0 / (1.0 + step * 1e-4) + i * 0.01 for i in range(WIDTH)]


def tensorboardx(folder, steps):
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(folder, max_queue=100_000, flush_secs=600)
    for step in range(steps):
        for key, value in zip(KEYS, values(step)):
            writer.add_scalar(key, value, step)
    writer.close()


def wandb_offline(folder, steps):
    import wandb

    settings = wandb.Settings(console="off", x_disable_stats=True, x_disable_meta=True, silent=True)
    run = wandb.init(mode="offline", dir=folder, settings=settings)
    for step in range(steps):
        run.log(dict(zip(KEYS, values(step))), step=step)
    run.finish()


def comet_offline(folder, steps):
    import comet_ml

    experiment = comet_ml.OfflineExperiment(
        offline_directory=folder, project_name="bench", workspace="bench", log_code=False, log_graph=False,
        auto_param_logging=False, auto_metric_logging=False, parse_args=False, auto_output_logging=False,
        log_env_details=False, log_git_metadata=False, log_git_patch=False, disabled=False, display_summary_level=0)
    for step in range(steps):
        experiment.log_metrics(dict(zip(KEYS, values(step))), step=step)
    experiment.end()


def neptune_offline(folder, steps):
    import neptune

    os.chdir(folder)
    run = neptune.init_run(
        mode="offline", capture_stdout=False, capture_stderr=False, capture_hardware_metrics=False,
        capture_traceback=False, git_ref=False, source_files=[])
    series = [run[key] for key in KEYS]
    for step in range(steps):
        for one, value in zip(series, values(step)):
            one.append(value, step=step)
    run.stop()


def mlflow_sqlite(folder, steps):
    from mlflow.entities import Metric
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{folder}/mlflow.db")
    run = client.create_run(client.create_experiment("bench"))
    batch = []
    for step in range(steps):
        now = int(time.time() * 1000)
        batch += [Metric(key, value, now, step) for key, value in zip(KEYS, values(step))]
        if len(batch) >= 1000:
            client.log_batch(run.info.run_id, metrics=batch)
            batch = []
    if batch:
        client.log_batch(run.info.run_id, metrics=batch)


def aim(folder, steps):
    from aim import Run

    run = Run(repo=folder, system_tracking_interval=None, log_system_params=False, capture_terminal_logs=False)
    for step in range(steps):
        run.track(dict(zip(KEYS, values(step))), step=step)
    run.close()


# name, function, module, steps of the small and the large load, target ratio
PEERS = [
    ("neptune_offline", neptune_offline, "neptune", 100, 600, 150),
    ("wandb_offline", wandb_offline, "wandb", 500, 4000, 200),
    ("comet_offline", comet_offline, "comet_ml", 100, 800, 500),
    ("tensorboardX", tensorboardx, "tensorboardX", 200, 1500, 800),
    ("mlflow_sqlite", mlflow_sqlite, "mlflow", 100, 600, 1000),
    ("aim", aim, "aim", 50, 300, 1500),
]


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def cost(name, steps, temporary):
    """CPU seconds of the peer's processes and bytes it left, for so many steps."""
    folder = tempfile.mkdtemp(prefix=name + "-", dir=temporary)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, HOME=folder, WANDB_MODE="offline", WANDB_SILENT="true", COMET_API_KEY="offline",
                       MLFLOW_ENABLE_ASYNC_LOGGING="false", DO_NOT_TRACK="1", COMET_LOGGING_CONSOLE="ERROR",
                       MLFLOW_LOGGING_LEVEL="ERROR", AIM_ANALYTICS="0")
    done = subprocess.run([sys.executable, __file__, "--run", name, folder, str(steps)], env=environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=240)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip().splitlines()[-1:])
    used = folder_bytes(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime), used


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ours", type=float, help="our CPU microseconds a point")
    parser.add_argument("--ours-bytes", type=float, help="our bytes a point, sealed")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        name, folder, steps = arguments.run
        dict((peer[0], peer[1]) for peer in PEERS)[name](folder, int(steps))
        return
    smallest = None
    for name, _, module, small, large, target in PEERS:
        row = {"id": f"record.vs_{name}", "value": None, "unit": "us/point", "peer": module, "peer_value": None,
               "ratio": None, "target": f">= {target} x", "met": None}
        try:
            with tempfile.TemporaryDirectory() as temporary:
                if not arguments.quick:
                    small, large = small * 2, large * 3
                low, high = cost(name, small, temporary), cost(name, large, temporary)
            points = (large - small) * WIDTH
            row["peer_value"] = (high[0] - low[0]) / points * 1e6
            row["peer_bytes"] = (high[1] - low[1]) / points
            smallest = min(filter(None, [smallest, row["peer_bytes"]]))
            if arguments.ours:
                row["value"] = arguments.ours
                row["ratio"] = row["peer_value"] / arguments.ours
                row["met"] = row["ratio"] >= target
        except Exception as error:  # an absent or broken peer is a missed row with its reason
            row["reason"] = f"{type(error).__name__}: {error}"
        print(json.dumps(row), flush=True)
    row = {"id": "record.bytes_vs_smallest_peer", "value": arguments.ours_bytes, "unit": "bytes/point",
           "peer": "smallest of the above", "peer_value": smallest, "ratio": None, "target": ">= 10 x", "met": None}
    if smallest and arguments.ours_bytes:
        row["ratio"] = smallest / arguments.ours_bytes
        row["met"] = row["ratio"] >= 10
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
