"""mlflow_http.py FOLDER ROWS: rows of 20 values to the server of MLFLOW_TRACKING_URI, in the largest batches it takes."""

import json
import sys
import time

import mlflow
from common import TAGS, rows
from mlflow.entities import Metric

data = rows(int(sys.argv[2]))
client = mlflow.MlflowClient()
known = client.get_experiment_by_name("bench")
experiment = known.experiment_id if known else client.create_experiment("bench")
cpu, wall = time.process_time(), time.perf_counter()
run = client.create_run(experiment)
batch = []
for step, values in enumerate(data):
    now = int(time.time() * 1000)
    batch += [Metric(tag, value, now, step) for tag, value in zip(TAGS, values)]
    if len(batch) >= 1000:
        client.log_batch(run.info.run_id, metrics=batch)
        batch = []
client.log_batch(run.info.run_id, metrics=batch)
client.set_terminated(run.info.run_id)
print(json.dumps({"points": len(data) * len(TAGS), "cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall}))
