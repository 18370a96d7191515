"""CPU of torch's SummaryWriter for the load of the other writers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

from common import TAGS, measure  # noqa: E402


def log_all(folder, data):
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(folder, max_queue=1000, flush_secs=600)
    for step, values in enumerate(data):
        for tag, value in zip(TAGS, values):
            writer.add_scalar(tag, value, step)
    writer.close()


measure(log_all)
