"""Reads step and value of Parquet files, one thread: python scan_pyarrow.py FILE… Prints M points a second of processor time, the best of five."""

import sys
import time

import pyarrow
import pyarrow.parquet as parquet

pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)
best = 0
for _ in range(5):
    start = time.process_time()
    rows = 0
    for path in sys.argv[1:]:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=65536, columns=["step", "train/loss"], use_threads=False):
            rows += batch.num_rows
    best = max(best, rows / (time.process_time() - start) / 1e6)
print(best)
