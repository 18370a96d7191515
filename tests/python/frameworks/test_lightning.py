"""The Lightning logger keeps what CSVLogger keeps, and passes the checks that Lightning's own loggers are held to."""

import csv
import math
import os
import pickle
from argparse import Namespace
from types import SimpleNamespace

import pytest
import taffrail
import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.loggers import CSVLogger
from taffrail.lightning import TaffrailLogger, TaffrailProfiler
from torch.utils.data import DataLoader, TensorDataset


class Line(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.example_input_array = torch.zeros(2, 4)

    def forward(self, x):
        return self.layer(x)

    def training_step(self, batch, index):
        loss = (self(batch[0]) ** 2).mean()
        self.log_dict({"train_loss": loss, "index": float(index)}, on_step=True, on_epoch=True, prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", self(batch[0]).abs().mean())

    test_step = validation_step

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader():
    return DataLoader(TensorDataset(torch.arange(80.0).reshape(20, 4) / 80), batch_size=4)


def trainer(**options):
    return Trainer(**{"max_epochs": 3, "log_every_n_steps": 1, "enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False,
                      "accelerator": "cpu", "devices": 1, **options})


def test_values_equal_those_of_the_csv_logger(root, tmp_path):
    torch.manual_seed(1)
    ours, theirs = TaffrailLogger(name="n"), CSVLogger(tmp_path / "csv")
    fit = trainer(logger=[ours, theirs])
    fit.fit(Line(), loader(), loader())
    fit.test(fit.lightning_module, loader(), verbose=False)
    ours.experiment.finish()
    with open(os.path.join(theirs.log_dir, "metrics.csv")) as file:
        rows = list(csv.DictReader(file))
    past = taffrail.read(root).run("n")
    assert past.info.state == "finished"
    for name in rows[0]:
        if name == "step":
            continue
        expected = [(int(row["step"]), float(row[name])) for row in rows if row[name] != ""]
        series = past[name]
        assert list(zip(series.step.tolist(), series.value.tolist())) == expected, name
    assert {"train_loss_step", "train_loss_epoch", "val_loss", "epoch"} <= {info.key for info in past.keys()}


def test_a_step_that_logs_waits_for_nothing(root, monkeypatch):
    """Lightning calls save() after every row; only the end of a stage is a reason to wait until all is in the file."""
    flush, flushed = taffrail.Run.flush, []
    monkeypatch.setattr(taffrail.Run, "flush", lambda run: (flushed.append(run.id), flush(run))[1])
    logger = TaffrailLogger(name="n")
    trainer(logger=logger).fit(Line(), loader())
    assert flushed == [logger.experiment.id]
    assert len(taffrail.read(root).run("n")["train_loss_step"]) == 15, "a reader sees what the stage logged"
    logger.experiment.finish()


def test_odd_hyperparameters_and_the_graph(root):
    logger = TaffrailLogger(name="n")
    logger.log_hyperparams({"float": 0.3, "int": 1, "string": "abc", "bool": True, "dict": {"a": {"b": 1}}, "list": [1, 2], "namespace": Namespace(foo=Namespace(bar="buzz")),
                            "layer": torch.nn.BatchNorm1d(2), "tensor": torch.tensor(2.5), "none": None})
    logger.log_hyperparams(Namespace(depth=3))
    logger.log_hyperparams()
    logger.log_graph(Line())
    logger.experiment.finish()
    past = taffrail.read(root).run("n")
    assert past.config | {"float": 0.3, "int": 1, "bool": True, "dict/a/b": 1, "list/1": 2, "depth": 3, "tensor": 2.5} == past.config and "BatchNorm1d" in past.config["layer"]
    nodes = past.entries("graph")[0].value["nodes"]
    assert [node["op"] for node in nodes] == ["Input", "Linear", "Output"] and nodes[1]["parameters"] == 5 and nodes[2]["inputs"] == ["layer"]


def test_a_pickled_logger_joins_its_run(root):
    logger = TaffrailLogger(name="n")
    logger.log_metrics({"a": 1.0}, 0)
    other = pickle.loads(pickle.dumps(logger))
    other.log_metrics({"a": 2.0}, 1)
    assert other.experiment is logger.experiment and other.version == "n"
    whole = pickle.loads(pickle.dumps(trainer(logger=logger)))
    whole.logger.log_metrics({"a": 3.0}, 2)
    logger.experiment.finish()
    assert taffrail.read(root).run("n")["a"].value.tolist() == [1.0, 2.0, 3.0]


def test_only_rank_zero_opens_a_run(root, monkeypatch):
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
    monkeypatch.setattr(rank_zero_only, "rank", 1)
    logger = TaffrailLogger(name="n")
    logger.log_metrics({"a": 1.0}, 0)
    logger.log_hyperparams({"a": 1})
    logger.experiment.anything(1)
    logger.finalize("success")
    assert not root.exists()


@pytest.mark.parametrize("status, state", [("success", "finished"), ("failed", "failed"), ("finished", "finished")])
def test_finalize_decides_how_the_run_ends(root, status, state):
    logger = TaffrailLogger(name="n")
    logger.log_metrics({"a": 1.0}, 0)
    logger.finalize(status)
    logger.log_metrics({"a": 2.0}, 1)  # access after training
    logger.experiment.finish()
    past = taffrail.read(root).run("n")
    assert past.info.state == state and len(past["a"]) == 2


def test_an_exception_while_training_fails_the_run(root):
    class Broken(Line):
        def training_step(self, batch, index):
            if index == 2:
                raise RuntimeError("broken")
            return super().training_step(batch, index)

    logger = TaffrailLogger(name="n")
    with pytest.raises(RuntimeError, match="broken"):
        trainer(logger=logger).fit(Broken(), loader())
    logger.experiment.finish()
    assert taffrail.read(root).run("n").info.state == "failed"


def test_prefix_media_names_and_places(root):
    logger = TaffrailLogger("digits", "n", prefix="tmp")
    logger.log_metrics({"a": 1.0}, 0)
    logger.log_image("pictures", [torch.rand(3, 4, 4), torch.rand(3, 4, 4)], 1, caption=["x", "y"])
    logger.log_text("text", "said", 1)
    logger.log_table("table", ["a"], [[1], [2]], 1)
    assert logger.name == "digits" and logger.version == "n" and logger.log_dir == logger.experiment.folder and logger.save_dir == str(root)
    logger.experiment.finish()
    past = taffrail.read(root).run("n")
    assert {"tmp-a", "tmp-pictures", "tmp-text", "tmp-table"} <= {info.key for info in past.keys()}
    assert past.entries("tmp-pictures")[0].value["captions"] == ["x", "y"]


def test_checkpoints_become_artifacts(root, tmp_path):
    logger = TaffrailLogger(name="n", log_model=True)
    fit = trainer(logger=logger, enable_checkpointing=True, default_root_dir=tmp_path, max_epochs=1)
    fit.fit(Line(), loader())
    logger.experiment.finish()
    past = taffrail.read(root).run("n")
    kept = [entry.value for info in past.keys() if info.kind == "artifact" for entry in past.entries(info.key)]
    assert len(kept) == 1 and kept[0]["type"] == "model" and kept[0]["files"][0]["path"].endswith(".ckpt")


def test_actions_of_the_profiler_are_zones(root):
    taffrail.reset_zones()
    profiler = TaffrailProfiler()
    trainer(logger=False, profiler=profiler, max_epochs=1).fit(Line(), loader())
    rows = {row["name"]: row["calls"] for row in taffrail.zone_rows()}
    assert rows["run_training_batch"] == 5 and "optimizer_step" in "".join(rows)
    with pytest.raises(ValueError, match="never started"):
        profiler.stop("nothing")


def test_watch_logs_gradients_and_weights(root):
    model = Line()
    with taffrail.init(name="n") as run, taffrail.watch(model, log="all", log_freq=2):
        optimizer = model.configure_optimizers()
        for batch in loader():
            optimizer.zero_grad()
            (model(batch[0]) ** 2).mean().backward()
            optimizer.step()
        assert run.stats["errors"] == 0
    past = taffrail.read(root).run("n")
    assert past["gradient_norm/layer/weight"].step.tolist() == [0, 2, 4] and all(math.isfinite(value) for value in past["gradient_norm/layer/weight"].value)
    assert len(past.entries("gradients/layer/bias")) == 3 and len(past.entries("parameters/layer/weight")) == 3
    assert taffrail.torch.parameter_counts(model) == {"total": 5, "trainable": 5, "layer": 5}


def test_tensors_of_torch(root):
    with taffrail.init(name="n") as run:
        run.log({"grad": torch.tensor(1.5, requires_grad=True), "half": torch.tensor(0.5, dtype=torch.bfloat16), "one": torch.ones(1, 1)}, step=0)
        run.log_tensor("bf16", torch.ones(2, 3, dtype=torch.bfloat16))
        run.log_tensor("strided", torch.arange(12.0).reshape(3, 4).T)
        run.log_image("picture", torch.rand(3, 5, 6, requires_grad=True))
        run.log_histogram("values", torch.randn(100, requires_grad=True))
        assert run.stats["errors"] == 0 and run._arriving is None, "nothing of the CPU is on its way"
    past = taffrail.read(root).run("n")
    assert past["grad"].value.tolist() == [1.5] and past.entries("bf16")[0].value["dtype"] == "bf16"
    assert torch.frombuffer(bytearray(past.entries("strided")[0].value["data"].load()), dtype=torch.float32).reshape(4, 3).equal(torch.arange(12.0).reshape(3, 4).T)
    assert past.entries("picture")[0].value["height"] == 5


@pytest.mark.parametrize("tensor, number", [
    (torch.tensor(1.5, requires_grad=True), 1.5), (torch.tensor([[0.5]], dtype=torch.bfloat16), 0.5), (torch.tensor(True), 1.0), (torch.tensor([7]), 7.0), (torch.tensor(float("inf")), math.inf),
])
def test_a_number_of_a_device_is_copied_behind_its_work(monkeypatch, tensor, number):
    """With the words of torch itself; only the event is made up, because there is no device."""
    from taffrail import _devices

    class Event:
        behind, waited = None, 0

        def record(self, stream):
            Event.behind = stream

        def query(self):
            return Event.waited > 0

        def synchronize(self):
            Event.waited += 1

    with monkeypatch.context() as patched:
        patched.setattr(_devices, "_module_of", lambda value: SimpleNamespace(Event=Event, current_stream=lambda device: f"the stream of {device}"))
        copy = _devices._OfTorch(tensor, tensor.detach())
    assert Event.behind == "the stream of cpu" and not copy.arrived() and copy.numbers() == [number, number] and copy.arrived() and Event.waited == 1
    assert all(hasattr(torch.cuda, word) for word in ("Event", "current_stream")) and not _devices.is_far(tensor)


def test_loader_workers_do_not_disturb(root):
    with taffrail.init(name="n") as run:
        for step, batch in enumerate(DataLoader(TensorDataset(torch.arange(16.0)), batch_size=4, num_workers=2)):
            run.log({"sum": batch[0].sum()}, step=step)
    assert taffrail.read(root).run("n")["sum"].value.tolist() == [6.0, 22.0, 38.0, 54.0]


def test_signatures_of_the_summary_writer_equal_those_of_torch():
    import inspect

    from taffrail.tensorboard import SummaryWriter
    from torch.utils.tensorboard import SummaryWriter as Theirs
    for name, method in inspect.getmembers(Theirs, inspect.isfunction):
        if not name.startswith("_") or name in ("__init__", "__enter__", "__exit__"):
            assert str(inspect.signature(getattr(SummaryWriter, name))) == str(inspect.signature(method)), name


def test_dataclasses_and_namespaces_are_configurations(root):
    with taffrail.init(name="n", config=SimpleNamespace(a=1, b="x")) as run:
        run.log({"a": 1.0})
    assert taffrail.read(root).run("n").config == {"a": 1, "b": "x"}


def test_the_words_of_wandb_watch_into_the_row_that_is_made(root):
    """Gradients of a step stand in its row, with the client's names; at each `log_freq`-th time."""
    import taffrail.wandb as wandb

    torch.manual_seed(1)
    model, other = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 1)), torch.nn.Linear(2, 1)
    weights = []
    with wandb.init(name="n") as run:
        wandb.watch([model, other], log="all", log_freq=2)
        for step in range(6):
            model.zero_grad()
            loss = model(torch.ones(2, 4)).sum() + other(torch.ones(2, 2)).sum()
            loss.backward()
            weights.append(model[0].weight.detach().clone())
            with torch.no_grad():
                model[0].weight.add_(1.0)  # the row is not done yet
            wandb.log({"loss": loss})
        wandb.unwatch(model)
        model(torch.ones(2, 4)).sum().backward()
        wandb.log({"loss": 0.0})
        with pytest.raises(TypeError, match="pytorch model"):
            wandb.watch(5)
        assert run.native.stats["errors"] == 0
    past = taffrail.read(root).run("n")
    for key in ("gradients/0.weight", "parameters/1.bias", "gradients/graph_1weight", "parameters/graph_1bias"):
        assert [entry.step for entry in past.entries(key)] == [1, 3, 5], key
    seen = past.entries("parameters/0.weight")[1].value
    assert sum(seen["counts"]) == 12 and len(seen["counts"]) == 64
    assert (seen["edges"][0], seen["edges"][-1]) == pytest.approx((float(weights[3].min()), float(weights[3].max())))
    assert past.entries("parameters/1.bias")[0].value["counts"] == [1]


def test_curves_of_the_words_of_wandb_are_those_of_scikit_learn():
    """precision_recall_curve with the smoothing, the direction and the places of recall that the client has."""
    import numpy as np
    import taffrail.wandb as wandb
    from sklearn import metrics

    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 200)
    probas = rng.dirichlet(np.ones(3), 200) + np.eye(3)[true] * rng.random((200, 1))
    probas = np.round(probas / probas.sum(1, keepdims=True), 2)  # with equal scores
    precision = wandb.plot.pr_curve(true, probas, labels=["a", "b", "c"])
    roc = wandb.plot.roc_curve(true, probas, classes_to_plot=[0, 2])
    for number, name in enumerate("abc"):
        expected, recall, _ = metrics.precision_recall_curve(true, probas[:, number], pos_label=number)
        expected = np.maximum.accumulate(expected)[::-1]
        places = np.searchsorted(recall[::-1], np.linspace(0, 1, 21)[::-1], side="left")
        rows = [row for row in precision.table.rows if row[0] == name]
        assert [row[1] for row in rows] == pytest.approx(np.round(expected[places], 3)) and [row[2] for row in rows] == pytest.approx(np.linspace(1, 0, 21))
        if name != "b":
            false, hits, _ = metrics.roc_curve(true, probas[:, number], pos_label=number, drop_intermediate=False)
            rows = [row for row in roc.table.rows if row[0] == number]
            assert [row[1] for row in rows] == pytest.approx(np.round(hits, 3)) and [row[2] for row in rows] == pytest.approx(np.round(false, 3))
    assert {row[0] for row in roc.table.rows} == {0, 2}
    with pytest.raises(ValueError, match="200×2 for 200 labels of 3 classes"):
        wandb.plot.roc_curve(true, probas[:, :2])
