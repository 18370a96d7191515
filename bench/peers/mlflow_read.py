"""mlflow_read.py FILE: every point of every metric of a database, by MLflow's own client; the import is not counted."""

import json
import sys
import time

import mlflow

client = mlflow.MlflowClient(f"sqlite:///{sys.argv[1]}")
experiments = [experiment.experiment_id for experiment in client.search_experiments()]
before = time.process_time()
points = 0
for run in client.search_runs(experiments):
    for name in run.data.metrics:
        points += len(client.get_metric_history(run.info.run_id, name))
print(json.dumps({"points": points, "cpu_s": time.process_time() - before}))
