"""The mistakes of examples/python/vae_bugs.py are found as docs/python/debugging.md says, and mended one by one."""

import importlib.util
import sys
from pathlib import Path

import pytest
import taffrail
import torch

EXAMPLES = Path(__file__).resolve().parents[3] / "examples/python"
PAGE = (Path(__file__).resolve().parents[3] / "docs/python/debugging.md").read_text()
SHAPE = ("Decoder(hidden, latent, SIDE", "Decoder(latent, hidden, SIDE")
TRAINING = ('                with taffrail.zone("step"):', '                optimizer.zero_grad()\n                with taffrail.zone("step"):')
MATHEMATICS = ("torch.exp(log_variance) *", "torch.exp(log_variance / 2) *")
DEVICE = ("torch.randn(mean.shape)", "torch.randn_like(mean)")


@pytest.fixture
def mended(root, tmp_path, monkeypatch):
    """The program with some of its mistakes mended."""
    pytest.importorskip("PIL")
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(*changes):
        text = (EXAMPLES / "vae_bugs.py").read_text()
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        path = tmp_path / "program.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("program", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "program", module)
        spec.loader.exec_module(module)
        return module

    return load


def test_the_shape_is_in_the_message_of_the_run(mended, root):
    with pytest.raises(RuntimeError, match="2x8 and 128x8"):
        mended().train(1)
    message = taffrail.read(root).run("vae-bugs").info.message
    assert "2x8 and" in PAGE and "in forward" in message and "128x8" in message


def test_the_device_shows_without_one(mended):
    program = mended(SHAPE)
    model = program.Vae(program.Encoder(4, 3, 2), program.Decoder(2, 3, 4))
    with pytest.raises(RuntimeError, match="device"):
        model.to("meta")(torch.zeros(1, 4, device="meta"))
    program = mended(SHAPE, DEVICE)
    program.Vae(program.Encoder(4, 3, 2), program.Decoder(2, 3, 4)).to("meta")(torch.zeros(1, 4, device="meta"))


def test_missing_zero_grad_shows_in_the_norms(mended, root):
    slow = mended(SHAPE).train(3)
    norms = taffrail.read(root).run("vae-bugs")["gradient_norm/decoder/output/weight"].value
    assert norms[1] > norms[0], "they are added up"
    added_up = float(norms.max())
    better = mended(SHAPE, TRAINING).train(3)
    norms = taffrail.read(root).run("vae-bugs")["gradient_norm/decoder/output/weight"].value
    assert better < slow and float(norms.max()) < added_up / 2


def test_mended_it_learns_and_leaves_three_pictures(mended, root, tmp_path):
    loss = mended(SHAPE, TRAINING, MATHEMATICS, DEVICE).train(5)
    assert loss < 92 and "below 92" in PAGE
    for name in ("orig_data.png", "reconstructions.png", "generated_samples.png"):
        assert (tmp_path / name).stat().st_size > 1000 and name in PAGE
    past = taffrail.read(root).run("vae-bugs")
    assert {info.key: info.kind for info in past.keys()} | {"original": "image", "sampled": "image", "graph": "graph", "train/loss": "scalar"} == \
        {info.key: info.kind for info in past.keys()}


def test_the_working_version_is_the_mended_one():
    text = (EXAMPLES / "vae_bugs.py").read_text()
    for before, after in (SHAPE, MATHEMATICS, DEVICE):
        text = text.replace(before, after)
    working = (EXAMPLES / "vae_working.py").read_text()
    different = [line for line in text.split("def train")[0].splitlines()[8:] if line not in working]
    assert not different
