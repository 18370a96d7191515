"""Ourselves, with the same load: rows of 20 into a run, opened, finished and sealed. Run by an interpreter that has the wheel."""

from common import TAGS, measure


def log_all(folder, data):
    import taffrail

    run = taffrail.init(root=folder, machine_load=False, environment=False, console=False)
    for step, values in enumerate(data):
        run.log(dict(zip(TAGS, values)), step=step)
    run.finish()


measure(log_all, dicts=True)
