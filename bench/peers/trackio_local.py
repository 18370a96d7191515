import os
import sys

from common import TAGS, measure

os.environ["TRACKIO_DIR"] = sys.argv[1]  # read when the module is imported


def log_all(folder, data):
    import trackio

    trackio.init(project="bench", auto_log_gpu=False, auto_log_cpu=False)
    for step, values in enumerate(data):
        trackio.log(dict(zip(TAGS, values)), step=step)
    trackio.finish()


measure(log_all)
