"""CPU microseconds of one self.log(on_step, on_epoch, prog_bar) in Lightning's own loop, without a model: lightning_log.py STEPS"""

import logging
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

import torch  # noqa: E402
from lightning.pytorch import LightningModule, Trainer  # noqa: E402

CALLS = 20


class Bare(LightningModule):
    automatic_optimization = False

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def training_step(self, batch, index):
        for i in range(self.calls):
            self.log(f"loss{i}", 0.5, prog_bar=True, on_step=True, on_epoch=True, batch_size=8)

    def configure_optimizers(self):
        return None

    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.zeros(8 * STEPS, 1), batch_size=8)


def cpu_seconds(calls):
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                          default_root_dir=folder, accelerator="cpu")
        begin = time.process_time()
        trainer.fit(Bare(calls))
        return time.process_time() - begin


STEPS = int(sys.argv[1])
torch.set_num_threads(1)
cpu_seconds(1)
print((cpu_seconds(CALLS) - cpu_seconds(0)) * 1e6 / (STEPS * CALLS))
