import glob
import os
import sqlite3
import sys

from common import TAGS, measure

os.environ["TRACKIO_DIR"] = sys.argv[1]  # read when the module is imported


def log_all(folder, data):
    import trackio

    trackio.init(project="bench", auto_log_gpu=False, auto_log_cpu=False)
    for step, values in enumerate(data):
        trackio.log(dict(zip(TAGS, values)), step=step)
    trackio.finish()


def check(folder, count):
    """It writes from a thread that is given little time at the end: a row that is not there has cost nothing."""
    found = 0
    for path in glob.glob(f"{folder}/**/*.db", recursive=True):
        with sqlite3.connect(path) as database:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'metrics'").fetchone():
                found += database.execute("SELECT COUNT(*) FROM metrics").fetchone()[0]
    assert found == count, f"trackio wrote {found} of {count} rows"


measure(log_all, dicts=True, check=check)
