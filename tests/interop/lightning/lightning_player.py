"""Plays run scripts on Lightning and prints what happened, one JSON object per line.

    lightning_player.py SCRIPTS OUTPUT        all scripts of one world size; RANK, WORLD_SIZE, MASTER_* as torchrun sets them

Two of Lightning's rules are corrected here, because Taffrail keeps the right ones: C16, the sum of weights of a synced
mean is not cut to an integer; C17, an epoch row before the first optimiser step stands at step 0.
"""
import json
import os
import sys
import warnings

import torch
import torchmetrics
import lightning.pytorch as pl
from lightning.pytorch.loggers.logger import Logger
from lightning.pytorch.trainer.connectors.logger_connector import result as result_module
from lightning.pytorch.utilities import data as data_module
from lightning.pytorch.utilities.exceptions import MisconfigurationException

from script_forms import evaluate, make_batch, number, plays

RANK = int(os.environ.get("RANK", "0"))
WORLD = int(os.environ.get("WORLD_SIZE", "1"))

WARNINGS = {
    "W3": "but have no logger configured",
    "W4": "be floating to be reduced",
    "W5": "from an ambiguous collection",
    "W6": "when logging on epoch level in distributed setting",
    "W7": "is smaller than the logging interval",
    "W9": "was called before the ``update`` method",
}
ERRORS = {
    "E1": "is not useful", "E2": "You can't `self.log()` inside", "E4": "You can't `self.log(on_",
    "E5": "cannot be logged", "E6": "must have a single element", "E7": "should not contain information about",
    "E8": "twice in", "E9": "Only `self.log(..., reduce_fx=", "E10": "Could not find the `LightningModule` attribute",
    "E12": "could not infer the batch_size", "E13": "result collection is not registered",
    "E15": "return of the metric logged as", "E16": "val_check_interval", "E17": "You requested to check",
}
FLAGS = ("on_step", "on_epoch", "prog_bar", "logger", "reduce_fx", "add_dataloader_idx", "sync_dist",
         "rank_zero_only", "enable_graph")


def exact_compute(self):
    """C16: both sums over ranks as floating point numbers."""
    if not self.is_tensor:
        return self.value.compute()
    value = self.meta.sync(self.value.clone())
    if self.meta.is_mean_reduction:
        return value / self.meta.sync(self.cumulated_batch_size.to(torch.float64)).to(value.dtype)
    return value


result_module._ResultMetric.compute = exact_compute


class Pair(torchmetrics.Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", torch.tensor(0.0), dist_reduce_fx="sum")

    def update(self, value):
        self.total += value

    def compute(self):
        return self.total, self.total


METRICS = {"sum": torchmetrics.SumMetric, "mean": torchmetrics.MeanMetric, "max": torchmetrics.MaxMetric,
           "min": torchmetrics.MinMetric, "pair": Pair}


class Rows(Logger):
    def __init__(self):
        super().__init__()
        self.rows = []

    name = property(lambda self: "rows")
    version = property(lambda self: 0)

    def log_hyperparams(self, *args, **kwargs):
        pass

    def log_metrics(self, metrics, step=None):
        self.rows.append({"metrics": {name: number(value) for name, value in metrics.items()},
                          "step": max(int(step), 0)})


class Loader:
    def __init__(self, form, batches, loader):
        self.form, self.batches, self.loader = form, batches, loader

    def __len__(self):
        return self.batches

    def __iter__(self):
        for batch in range(self.batches):
            yield make_batch(self.form, {"batch": batch, "loader": self.loader, "rank": RANK, "epoch": 0})


class Player:
    """The position in the run, and the entries of each hook."""

    def __init__(self, script):
        self.script, self.batch, self.loader, self.probes = script, 0, 0, []
        self.metrics = {}

    def at(self, batch, loader):
        self.batch, self.loader = batch, loader

    def play(self, trainer, module, hook, source):
        position = {"epoch": trainer.current_epoch, "batch": self.batch, "loader": self.loader, "rank": RANK}
        for entry in self.script.get("logs", []):
            if entry["hook"] != hook or entry.get("from", "module") != source:
                continue
            if not plays(entry.get("when", {}), position, trainer.sanity_checking):
                continue
            flags = {name: entry[name] for name in FLAGS if entry.get(name) is not None}
            if entry.get("batch_size") is not None:
                flags["batch_size"] = int(evaluate(entry["batch_size"], position))
            if "dict" in entry:
                values = {name.replace("{loader}", str(self.loader)): evaluate(form, position)
                          for name, form in entry["dict"].items()}
                module.log_dict(values, **flags)
                continue
            value = evaluate(entry.get("value", 0), position)
            name = entry["name"].replace("{loader}", str(self.loader))
            if "metric" in entry:
                metric = self.metrics[entry["metric"]["id"]]
                feed = entry["metric"].get("feed", "forward")
                if feed == "forward":
                    metric(value)
                elif feed == "update":
                    metric.update(value)
                value = metric
            module.log(name, value, **flags)

    def probe(self, trainer, hook):
        if hook in self.script.get("probes", []):
            self.probes.append({"hook": hook, "sanity": trainer.sanity_checking, "epoch": trainer.current_epoch,
                                "batch": self.batch, "loader": self.loader, **views(trainer)})


def views(trainer):
    return {view: {name: number(value) for name, value in getattr(trainer, view).items()}
            for view in ("callback_metrics", "logged_metrics", "progress_bar_metrics")}


class PlayCallback(pl.Callback):
    def __init__(self, player):
        self.player = player


def add_callback_hook(name, index, loader):
    def hook(self, trainer, module, *args, **kwargs):
        if index is not None:
            self.player.at(args[index], args[loader] if loader is not None and len(args) > loader else 0)
        self.player.play(trainer, module, name, "callback")
        self.player.probe(trainer, name)
    setattr(PlayCallback, name, hook)


class PlayModule(pl.LightningModule):
    def __init__(self, player):
        super().__init__()
        self.player = player
        self.parameter = torch.nn.Parameter(torch.zeros(1))
        for entry in player.script.get("logs", []):
            wanted = entry.get("metric")
            if wanted and wanted["id"] not in player.metrics:
                metric = METRICS[wanted.get("kind", "sum")]()
                player.metrics[wanted["id"]] = metric
                if wanted.get("attached", True):
                    setattr(self, "metric_" + wanted["id"], metric)

    def run(self, hook, probe=False):
        if probe:
            self.player.probe(self.trainer, hook)
        self.player.play(self.trainer, self, hook, "module")

    def training_step(self, batch, batch_idx):
        stop = self.player.script.get("stop_at")
        if stop and (stop["epoch"], stop["batch"]) == (self.trainer.current_epoch, batch_idx):
            self.trainer.should_stop = True
        self.run("training_step", probe=True)
        return self.parameter.sum()

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.run("validation_step", probe=True)

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        self.run("test_step", probe=True)

    def predict_step(self, batch, batch_idx, dataloader_idx=0):
        self.run("predict_step", probe=True)

    def configure_optimizers(self):
        self.run("configure_optimizers", probe=True)
        return torch.optim.SGD(self.parameters(), lr=0.0)

    def backward(self, loss):
        self.run("backward", probe=True)
        super().backward(loss)

    def optimizer_step(self, *args, **kwargs):
        self.run("optimizer_step", probe=True)
        super().optimizer_step(*args, **kwargs)

    def optimizer_zero_grad(self, *args, **kwargs):
        self.run("optimizer_zero_grad", probe=True)
        super().optimizer_zero_grad(*args, **kwargs)

    def configure_gradient_clipping(self, *args, **kwargs):
        self.run("configure_gradient_clipping", probe=True)

    def loaders(self, hook, batches):
        self.run(hook, probe=True)
        form = self.player.script.get("batch", {})
        return [Loader(form, count, index) for index, count in enumerate(batches)]

    def train_dataloader(self):
        return self.loaders("train_dataloader", [self.player.script.get("train_batches", 1)])[0]

    def test_dataloader(self):
        return self.loaders("test_dataloader", self.player.script.get("test_batches", []))

    def predict_dataloader(self):
        return self.loaders("predict_dataloader", [1])


class PlayModuleWithValidation(PlayModule):
    def val_dataloader(self):
        return self.loaders("val_dataloader", self.player.script.get("val_batches", []))


def add_module_hook(name, ends_batch=False, probe=False):
    def hook(self, *args, **kwargs):
        self.run(name, probe)
        if ends_batch:
            self.player.at(0, 0)
    setattr(PlayModule, name, hook)


def add_wrapping_hook(name):
    """A hook with work of Lightning's own, which still has to be done."""
    def hook(self, *args, **kwargs):
        self.run(name, probe=True)
        return getattr(super(PlayModule, self), name)(*args, **kwargs)
    setattr(PlayModule, name, hook)


for own_hook in ("on_before_batch_transfer", "transfer_batch_to_device", "on_after_batch_transfer", "configure_model", "on_validation_model_eval",
                 "on_validation_model_train", "on_validation_model_zero_grad", "on_test_model_eval", "on_test_model_train"):
    add_wrapping_hook(own_hook)
for plain_hook in ("on_fit_start", "on_fit_end", "on_train_start", "on_train_end", "on_train_epoch_start",
                   "on_train_epoch_end", "on_before_zero_grad", "on_before_backward", "on_after_backward",
                   "on_before_optimizer_step", "on_validation_start", "on_validation_end",
                   "on_validation_epoch_start", "on_validation_epoch_end", "on_test_start", "on_test_end",
                   "on_test_epoch_start", "on_test_epoch_end", "on_predict_start", "on_predict_end",
                   "on_predict_epoch_start", "on_predict_epoch_end", "setup", "teardown"):
    add_callback_hook(plain_hook, None, None)
    add_module_hook(plain_hook)
add_callback_hook("on_sanity_check_start", None, None)
add_callback_hook("on_sanity_check_end", None, None)
add_module_hook("prepare_data", probe=True)
add_callback_hook("on_train_batch_start", 1, None)
add_callback_hook("on_train_batch_end", 2, None)
add_module_hook("on_train_batch_start")
add_module_hook("on_train_batch_end", ends_batch=True)
for stage in ("validation", "test", "predict"):
    add_callback_hook(f"on_{stage}_batch_start", 1, 2)
    add_callback_hook(f"on_{stage}_batch_end", 2, 3)
    add_module_hook(f"on_{stage}_batch_start")
    add_module_hook(f"on_{stage}_batch_end", ends_batch=True)


def limit(value):
    return float(value["fraction"]) if isinstance(value, dict) else value


def make_trainer(script, rows, player):
    options = {"max_epochs": script.get("epochs", 1)}
    if script.get("max_steps") is not None:
        options["max_steps"] = script["max_steps"]
    for name in ("accumulate_grad_batches", "log_every_n_steps", "num_sanity_val_steps",
                 "reload_dataloaders_every_n_epochs"):
        if script.get(name) is not None:
            options[name] = script[name]
    for name in ("val_check_interval", "limit_train_batches", "limit_val_batches", "limit_test_batches"):
        if script.get(name) is not None:
            options[name] = limit(script[name])
    options.setdefault("val_check_interval", 1.0)
    if "check_val_every_n_epoch" in script:
        options["check_val_every_n_epoch"] = script["check_val_every_n_epoch"]
    if WORLD > 1:
        options.update(strategy="ddp", devices=WORLD)
    else:
        options.update(devices=1)
    return pl.Trainer(accelerator="cpu", logger=rows if script.get("sink", True) else False,
                      callbacks=[PlayCallback(player)], enable_progress_bar=False, enable_model_summary=False,
                      enable_checkpointing=False, use_distributed_sampler=False, inference_mode=False, **options)


def play(script):
    rows, stages, error = Rows(), [], {}
    player = Player(script)
    result_module.warning_cache.clear()
    data_module.warning_cache.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            module = (PlayModuleWithValidation if script.get("val_batches") else PlayModule)(player)
            trainer = make_trainer(script, rows, player)
            for stage in script.get("stages", ["fit"]):
                results = getattr(trainer, stage)(module, **({"verbose": False} if stage in ("validate", "test") else
                                                             {"return_predictions": False} if stage == "predict" else {}))
                entry = {"stage": stage, **views(trainer)}
                if stage in ("validate", "test"):
                    entry["results"] = [{name: number(value) for name, value in one.items()} for one in results]
                stages.append(entry)
        except (MisconfigurationException, ValueError, RuntimeError, TypeError) as problem:
            kind = ("configuration" if isinstance(problem, MisconfigurationException) else
                    "value" if isinstance(problem, ValueError) else "runtime")
            codes = [code for code, text in ERRORS.items() if text in str(problem)]
            error = {"error": kind, "code": codes[0] if codes else "?", "message": str(problem)}
    said = {code for code, text in WARNINGS.items() for one in caught if text in str(one.message)}
    output = {"id": script.get("id"), **error, "rows": rows.rows, "stages": stages, "warnings": sorted(said)}
    if script.get("probes"):
        output["probes"] = player.probes
    return output


def main():
    torch.set_num_threads(1)
    with open(sys.argv[1]) as scripts, open(sys.argv[2], "w") as outputs:
        for line in scripts:
            outputs.write(json.dumps(play(json.loads(line))) + "\n")
            outputs.flush()


if __name__ == "__main__":
    main()
