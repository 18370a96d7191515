"""Microseconds an event for TensorBoard's EventAccumulator, every point kept."""

import json
import sys
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

accumulator = EventAccumulator(sys.argv[2], size_guidance={"scalars": 0})
started = time.process_time()
accumulator.Reload()
spent = time.process_time() - started
events = sum(len(accumulator.Scalars(tag)) for tag in accumulator.Tags()["scalars"])
print(json.dumps({"cpu_us_per_event": spent / events * 1e6}))
