"""CPU microseconds of a training step, with TaffrailLogger and with a logger whose methods do nothing: lightning_loop.py STEPS

One training, whose blocks of steps go to the one and to the other in turn: what else the machine does, and what the processor is warm for, changes slower than
that. A block of ours ends with what it left to the collector; opening and finishing the run is spread over the steps.
"""

import json
import logging
import sys
import time
import warnings

warnings.filterwarnings("ignore")
for name in ("lightning.pytorch", "lightning.fabric"):
    logging.getLogger(name).setLevel(logging.ERROR)

import torch  # noqa: E402
from lightning.pytorch import Callback, LightningModule, Trainer  # noqa: E402
from taffrail.lightning import TaffrailLogger  # noqa: E402


BLOCK = 250


class OurTurn(TaffrailLogger):
    ours = True

    def log_metrics(self, metrics, step=None):
        if self.ours:
            super().log_metrics(metrics, step)

    def save(self):
        if self.ours:
            super().save()


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


class Blocks(Callback):
    """Pairs of blocks; every second pair begins with the other one. The first pair is to get warm."""

    def __init__(self, logger):
        self.logger, self.measured, self.blocks = logger, {"ours": [], "empty": []}, 0

    def end_block(self):
        if self.logger.ours:
            self.logger.experiment.flush()
        if self.blocks > 2:
            self.measured["ours" if self.logger.ours else "empty"].append((time.process_time() - self.began) * 1e6 / BLOCK)

    def on_train_batch_start(self, trainer, module, batch, index):
        if index % BLOCK == 0:
            if index > 0:
                self.end_block()
            pair, second = divmod(self.blocks, 2)
            self.logger.ours = (pair + second) % 2 == 0
            self.blocks += 1
            self.began = time.process_time()

    def on_train_end(self, trainer, module):
        self.end_block()


STEPS = int(sys.argv[1]) // (2 * BLOCK) * 2 * BLOCK
torch.set_num_threads(1)
torch.manual_seed(1)
logger = OurTurn(machine_load=False, environment=False, console=False)
blocks = Blocks(logger)
began = time.process_time()
logger.experiment
around = time.process_time() - began
Trainer(max_epochs=1, logger=logger, log_every_n_steps=1, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu",
        callbacks=[blocks]).fit(Small())
began = time.process_time()
logger.experiment.finish()
around += time.process_time() - began
blocks.measured["ours"] = [block + around * 1e6 / STEPS for block in blocks.measured["ours"]]
print(json.dumps(blocks.measured))
