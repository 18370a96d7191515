"""CPU microseconds of a training step, with TaffrailLogger and with a Logger whose methods do nothing, in turn: lightning_loop.py STEPS PAIRS"""

import json
import logging
import sys
import time
import warnings

warnings.filterwarnings("ignore")
for name in ("lightning.pytorch", "lightning.fabric"):
    logging.getLogger(name).setLevel(logging.ERROR)

import torch  # noqa: E402
from lightning.pytorch import LightningModule, Trainer  # noqa: E402
from lightning.pytorch.loggers.logger import Logger  # noqa: E402
from taffrail.lightning import TaffrailLogger  # noqa: E402


class Empty(Logger):
    @property
    def name(self):
        return "empty"

    @property
    def version(self):
        return "0"

    def log_metrics(self, metrics, step=None):
        pass

    def log_hyperparams(self, *arguments, **more):
        pass


class Small(LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))

    def training_step(self, batch, index):
        loss = (self.layers(batch) ** 2).mean()
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.ones(16 * STEPS, 64), batch_size=16)


def cpu_us_per_step(logger):
    """Every step logs, and the run is finished inside the measurement: what a thread of the logger does counts."""
    trainer = Trainer(max_epochs=1, logger=logger, log_every_n_steps=1, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu")
    torch.manual_seed(1)
    module = Small()
    began = time.process_time()
    trainer.fit(module)
    if isinstance(logger, TaffrailLogger):
        logger.experiment.finish()
    return (time.process_time() - began) * 1e6 / STEPS


STEPS, PAIRS = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(1)
quiet = {"machine_load": False, "environment": False, "console": False}
for warm in (TaffrailLogger(**quiet), Empty()):
    cpu_us_per_step(warm)
measured = {"ours": [], "empty": []}
for pair in range(PAIRS):
    order = [("ours", TaffrailLogger), ("empty", Empty)]
    for name, make in order if pair % 2 == 0 else reversed(order):
        measured[name].append(cpu_us_per_step(make(**quiet) if make is TaffrailLogger else make()))
print(json.dumps(measured))
