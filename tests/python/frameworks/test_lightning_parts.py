"""What stands beside the Lightning logger: bars, profilers by action, a tracer that takes torch's events along, and metrics over ranks."""

import gzip
import json
import os
import pstats
import subprocess
import sys
import textwrap

import pytest
import taffrail
import taffrail.profile
import torch
from lightning.pytorch import LightningModule, Trainer
from taffrail.lightning import TaffrailProfiler, TaffrailProgressBar
from torch.utils.data import DataLoader, TensorDataset

TRAINING = """
    import torch
    from lightning.pytorch import LightningModule, Trainer
    from taffrail.lightning import TaffrailLogger, TaffrailProgressBar
    from torch.utils.data import DataLoader, TensorDataset

    class Line(LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def training_step(self, batch, index):
            loss = (self.layer(batch[0]) ** 2).mean()
            self.log("train_loss", loss, prog_bar=True)
            if index == 3:
                self.print("said by the module")
            return loss

        def validation_step(self, batch, index):
            self.log("val_loss", self.layer(batch[0]).abs().mean(), prog_bar=True)

        test_step = validation_step

        def predict_step(self, batch, index):
            return self.layer(batch[0])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    class Mine(TaffrailProgressBar):
        def get_metrics(self, trainer, module):
            items = super().get_metrics(trainer, module)
            items.pop("v_num", None)
            items["mine"] = "shown"
            return items

    def loader():
        return DataLoader(TensorDataset(torch.arange(160.0).reshape(40, 4) / 80), batch_size=4)

    def trainer(bar, **more):
        return Trainer(max_epochs=2, logger=TaffrailLogger(name="run-12345"), callbacks=[bar], enable_model_summary=False, enable_checkpointing=False, accelerator="cpu",
                       num_sanity_val_steps=1, default_root_dir=".", **more)
"""


def shown(text, tmp_path):
    """What such a program prints; its bars are lines, since nobody looks."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(TRAINING) + textwrap.dedent(text))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_the_bar_shows_is_overridden(root, tmp_path):
    said = shown("trainer(Mine()).fit(Line(), loader(), loader())", tmp_path)
    assert "Epoch 0" in said and "Epoch 1" in said and "train_loss" in said and "mine=shown" in said and "said by the module" in said
    assert "v_num" not in said
    plain = shown("trainer(TaffrailProgressBar()).fit(Line(), loader())", tmp_path)
    assert "v_num=2345" in plain and "mine" not in plain


def test_every_stage_has_its_bar_and_bars_can_be_off(root, tmp_path):
    said = shown("""
        fit = trainer(TaffrailProgressBar(refresh_rate=2), limit_train_batches=4)
        fit.fit(Line(), loader())
        fit.test(fit.lightning_module, loader(), verbose=False)
        fit.predict(fit.lightning_module, loader())
    """, tmp_path)
    assert "Epoch 1" in said and "Testing" in said and "Predicting" in said
    off = shown("trainer(TaffrailProgressBar(refresh_rate=0)).fit(Line(), loader())\n", tmp_path)
    assert "Epoch" not in off
    with pytest.raises(ValueError, match="refresh_rate"):
        TaffrailProgressBar(refresh_rate=-1)


class Line(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def helper(self, batch):
        return (self.layer(batch[0]) ** 2).mean()

    def training_step(self, batch, index):
        with taffrail.zone("loss of the step"):
            return self.helper(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def fit(profiler, **more):
    Trainer(**{"max_epochs": 1, "logger": False, "profiler": profiler, "enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False,
               "accelerator": "cpu", **more}).fit(Line(), DataLoader(TensorDataset(torch.arange(80.0).reshape(20, 4) / 80), batch_size=4))


def test_functions_of_python_have_a_table_for_each_action(root, tmp_path):
    profiler = TaffrailProfiler(str(tmp_path / "profiles"), "functions", functions=True, line_count_restriction=500, dump_stats=True)
    fit(profiler)
    (report,) = (tmp_path / "profiles").glob("*functions*.txt")
    text = report.read_text()
    block = text.split("run_training_batch: 5 calls")[1].split(" calls, ")[0]
    assert "(training_step)" in block and "(helper)" in block and "cumtime" in block
    step = next(path for path in (tmp_path / "profiles").glob("*.prof") if "run_training_batch" in path.name)
    counts = {label[2]: entry[1] for label, entry in pstats.Stats(str(step)).stats.items()}
    assert counts["helper"] == counts["training_step"] == 5
    loading = next(path for path in (tmp_path / "profiles").glob("*.prof") if "train_dataloader_next" in path.name)
    assert "helper" not in {label[2] for label in pstats.Stats(str(loading)).stats}
    with pytest.raises(ValueError, match="dirpath"):
        TaffrailProfiler(functions=True, dump_stats=True)


def test_zones_and_events_of_torch_stand_in_one_trace(root, tmp_path):
    tracer = taffrail.Tracer(tmp_path, schedule=taffrail.schedule(wait=1, warmup=1, active=2, repeat=1), torch_options={"with_stack": True})
    with tracer:
        for step in range(5):
            with taffrail.zone("forward"), torch.profiler.record_function("theirs"):
                torch.ones(64, 64) @ torch.ones(64, 64)
            tracer.step()
    (path,) = tracer.paths
    with gzip.open(path, "rt") as file:
        trace = json.load(file)
    timed = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    ours, theirs = ([event for event in timed if event["name"] == name] for name in ("forward", "theirs"))
    assert len(ours) == len(theirs) == 2 and any(event["name"] == "aten::mm" for event in timed)
    for zone, event in zip(ours, theirs):
        # One stands inside the other; clocks of two profilers agree to some microseconds.
        assert zone["ts"] - 500 <= event["ts"] and event["ts"] + event["dur"] <= zone["ts"] + zone["dur"] + 500
        assert int(zone["pid"]) == int(event["pid"]) == os.getpid() and zone["tid"] == event["tid"], "one track"


def test_a_tracer_follows_the_steps_of_a_trainer(root, tmp_path):
    tracer = taffrail.Tracer(tmp_path, schedule=taffrail.schedule(wait=1, warmup=1, active=2, repeat=1))
    fit(TaffrailProfiler(tracer=tracer))
    with gzip.open(tracer.paths[0], "rt") as file:
        names = [event["name"] for event in json.load(file)["traceEvents"]]
    assert names.count("loss of the step") == 2 and "ProfilerStep#2" in names and "aten::linear" in names


def test_metrics_agree_with_torchmetrics_over_batches_and_ranks(root, tmp_path):
    """The same states and reductions, in one process and in two that talk through torch.distributed."""
    (tmp_path / "ranks.py").write_text(textwrap.dedent("""
        import sys
        import torch, torch.distributed as dist, torchmetrics, taffrail

        def made(base):
            class Both(base):
                full_state_update = False
                def __init__(self):
                    super().__init__()
                    self.add_state("total", torch.zeros(2), dist_reduce_fx="sum")
                    self.add_state("low", torch.tensor(100.0), dist_reduce_fx="min")
                    self.add_state("mid", torch.tensor(0.0), dist_reduce_fx="mean")
                    self.add_state("all", [], dist_reduce_fx="cat")
                def update(self, values):
                    self.total += torch.stack([values.sum(), torch.tensor(float(len(values)))])
                    self.low = torch.minimum(self.low, values.min())
                    self.mid = values.mean()
                    self.all.append(values.clone())
                def compute(self):
                    rows = self.all if isinstance(self.all, list) else [self.all]
                    return torch.cat([self.total, self.low.reshape(1), self.mid.reshape(1), torch.cat(rows)])
            return Both()

        rank, world, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
        if world > 1:
            dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=world)
        torch.manual_seed(rank)
        ours, theirs = made(taffrail.Metric), made(torchmetrics.Metric)
        for size in (3, 5, 2 + rank):
            values = torch.rand(size)
            assert torch.equal(ours(values), theirs(values))
        assert torch.allclose(ours.compute(), theirs.compute()), (ours.compute(), theirs.compute())
        print(ours.compute().tolist())
        if world > 1:
            # A process that ends with its group open races with the threads of gloo, whose peer may be gone before.
            dist.barrier()
            dist.destroy_process_group()
    """))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1"}
    alone = subprocess.run([sys.executable, tmp_path / "ranks.py", "0", "1", "-"], capture_output=True, text=True, timeout=300, env=environment)
    assert alone.returncode == 0, alone.stderr
    ranks = [subprocess.Popen([sys.executable, tmp_path / "ranks.py", str(rank), "2", str(tmp_path / "store")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
             for rank in range(2)]
    said = [rank.communicate(timeout=300) for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], said
    assert said[0][0] == said[1][0] and len(json.loads(said[0][0])) == 4 + 10 + 11


def test_the_example_with_a_tracer_leaves_a_trace_that_is_read(root, tmp_path, monkeypatch):
    examples = os.path.join(os.path.dirname(__file__), *[".."] * 3, "examples", "python")
    monkeypatch.setenv("PYTHONPATH", f"{examples}:{os.environ.get('PYTHONPATH', '')}")
    said = subprocess.run([sys.executable, os.path.join(examples, "vae_profile.py"), "--steps", "8", "--to", str(tmp_path / "traces")], capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr
    (path,) = (tmp_path / "traces").glob("*.pt.trace.json.gz")
    with gzip.open(path, "rt") as file:
        names = [event["name"] for event in json.load(file)["traceEvents"]]
    assert names.count("forward") == 3 and "aten::addmm" in names and {f"ProfilerStep#{step}" for step in (4, 5, 6)} <= set(names)
    assert len(taffrail.read(root).run("vae-profile")["train/loss"]) == 8


@pytest.mark.parametrize("order", ["taffrail, torch", "torch, taffrail", "taffrail, google.protobuf.descriptor_pool, torch"])
def test_the_package_and_torch_live_in_one_process(root, order):
    """Either may come first: each brings libraries of its own."""
    text = f"import {order}\nwith taffrail.init(name='n') as run:\n    run.log_image('picture', torch.zeros(3, 4, 4))\n    run.log({{'a': torch.ones(2, 2).sum()}}, step=0)\n" \
        "assert taffrail.read().run('n')['a'].value.tolist() == [4.0]\n"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
