"""Every hook that the documented table of a training run names is there, or listed with its reason."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The hooks of a simple profiler's table of a Lightning training (1.2), as people have it in their notes.
TABLE = """on_validation_epoch_end on_train_batch_end on_train_start on_train_epoch_end on_validation_batch_end on_validation_end on_train_end on_batch_start
on_after_backward on_before_zero_grad on_train_batch_start on_batch_end training_step_end on_validation_batch_start validation_step_end on_validation_start
on_epoch_start on_epoch_end on_validation_epoch_start on_fit_start on_train_epoch_start on_before_accelerator_backend_setup training_step validation_step""".split()


def test_finding_t13_every_hook_is_there_or_listed_with_its_reason():
    there = set(re.findall(r"virtual \w[\w:<>]* (\w+)\(", (ROOT / "include/taffrail/module.h").read_text()))
    page = (ROOT / "docs/guide/training.md").read_text()
    section = page.split("## Hooks of older trainers")[1].split("\n## ")[0]
    explained = {name for line in section.splitlines() if line.startswith("| `") and all(cell.strip() for cell in line.strip("|").split("|"))
                 for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert len(TABLE) == 24
    assert not [hook for hook in TABLE if hook not in there and hook not in explained]
    assert not explained & there
