"""Writes a run with every method of a Python SummaryWriter: write_with_torch.py FOLDER [MODULE].

Runs in the environment of the writer's module, which is torch's unless named.
"""

import importlib
import sys

import numpy

folder, module = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "torch.utils.tensorboard"
torch_itself = module.startswith("torch.")
random = numpy.random.default_rng(3)
with importlib.import_module(module).SummaryWriter(folder) as writer:
    for step in range(2000):
        writer.add_scalar("loss/train", 1 / (step + 1), step)
    for step in range(20):
        writer.add_scalar("odd", float("nan") if step % 3 else float("inf"), step)
        writer.add_histogram("weights", random.normal(size=500) * (step + 1), step)
        writer.add_histogram("positive", random.random(100) + 5, step, bins="auto")
        writer.add_text("words", f"step **{step}** with `code`", step)
    writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 1)
    writer.add_image("chw", random.integers(0, 255, (3, 8, 9), dtype=numpy.uint8), 1)
    writer.add_image("hw", random.random((8, 9)), 2, dataformats="HW")
    writer.add_images("many", random.integers(0, 255, (4, 3, 8, 9), dtype=numpy.uint8), 1)
    writer.add_image_with_boxes("boxes", random.integers(0, 255, (3, 30, 30), dtype=numpy.uint8), numpy.array([[2, 2, 20, 20]]), 1)
    writer.add_pr_curve("curve", random.integers(0, 2, 100), random.random(100), 1)
    writer.add_mesh("mesh", random.random((1, 4, 3)).astype(numpy.float32), colors=random.integers(0, 255, (1, 4, 3)),
                    faces=numpy.array([[[0, 1, 2]]]), global_step=1)
    writer.add_custom_scalars({"group": {"lines": ["Multiline", ["loss/train", "odd"]]}})
    if torch_itself:
        import torch

        for step in range(100):
            writer.add_scalar("new", step / 3, step, new_style=True)
            writer.add_scalar("double", step + 0.1, step, new_style=True, double_precision=True)
        writer.add_tensor("tensor", torch.arange(6).reshape(2, 3), 1)
        writer.add_graph(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()), torch.zeros(1, 4))
        writer.add_embedding(torch.tensor(random.normal(size=(5, 3)), dtype=torch.float32), metadata=list("abcde"), global_step=2)
        writer.add_audio("sound", torch.sin(torch.arange(800) / 10)[None], 1, sample_rate=8000)
        writer.add_hparams({"lr": 0.5, "flag": True, "name": "x"}, {"accuracy": 0.9}, run_name="hp")
    else:
        writer.add_embedding(random.normal(size=(5, 3)), metadata=list("abcde"), global_step=2)
        writer.add_hparams({"lr": 0.5, "flag": True, "name": "x"}, {"accuracy": 0.9}, name="hp")
