"""CPU and caller time of a Python SummaryWriter: python_write.py FOLDER STEPS MODULE.

The module is imported before the clock starts: torch alone takes seconds to import, and that is no cost of writing.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

from common import TAGS, rows  # noqa: E402

folder, steps, module = sys.argv[1], int(sys.argv[2]), sys.argv[3]
SummaryWriter = importlib.import_module(module).SummaryWriter
data = rows(steps)
cpu = time.process_time()
writer = SummaryWriter(folder, max_queue=1000, flush_secs=600)
started = time.monotonic()
for step, values in enumerate(data):
    for tag, value in zip(TAGS, values):
        writer.add_scalar(tag, value, step)
caller = time.monotonic() - started
writer.close()
points = steps * len(TAGS)
print(json.dumps({"cpu_us": (time.process_time() - cpu) / points * 1e6, "caller_us": caller / points * 1e6}), flush=True)
os._exit(0)
