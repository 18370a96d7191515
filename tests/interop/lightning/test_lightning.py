"""Random run scripts give the same rows, views, results, errors and warnings here and on Lightning.

TAFFRAIL_LIGHTNING_REPLAY names our program; TAFFRAIL_LIGHTNING_SCRIPTS how many scripts (260), TAFFRAIL_LIGHTNING_SEED which.
"""
import collections
import json
import os

import pytest

import compare
import generate
import odd

REPLAY = os.environ["TAFFRAIL_LIGHTNING_REPLAY"]
COUNT = int(os.environ.get("TAFFRAIL_LIGHTNING_SCRIPTS", "260"))
SEED = int(os.environ.get("TAFFRAIL_LIGHTNING_SEED", "7"))


@pytest.fixture(scope="module")
def scripts():
    return generate.generate(COUNT, SEED)


@pytest.fixture(scope="module")
def outputs(scripts, tmp_path_factory):
    """Of the generated scripts, then of those written by hand; Lightning starts only once for both."""
    everything = scripts + odd.SCRIPTS + odd.TRIALS
    theirs = compare.run_lightning(everything, str(tmp_path_factory.mktemp("lightning")))
    return compare.run_replay(REPLAY, everything), theirs


def differences(scripts, ours, theirs):
    return "\n".join(f"{script['id']}: {found}" for script, mine, other in zip(scripts, ours, theirs, strict=True)
                     if (found := compare.compare(mine, other)))


def test_every_script_gives_the_same(scripts, outputs):
    assert not differences(scripts, *(one[:COUNT] for one in outputs))


def test_odd_scripts_give_the_same(outputs):
    assert not differences(odd.SCRIPTS, *(one[COUNT:COUNT + len(odd.SCRIPTS)] for one in outputs))


def test_finding_t21_overflow_maps_and_mistakes_on_ranks_are_the_same(outputs):
    assert not differences(odd.TRIALS, *(one[COUNT + len(odd.SCRIPTS):] for one in outputs))


def test_scripts_cover_everything(scripts, outputs):
    seen = collections.Counter()
    for script, theirs in zip(scripts, outputs[1][:COUNT]):
        for entry in script["logs"]:
            seen.update({f"hook {entry['hook']}", *(f"flag {name}" for name in entry)})
            seen.update([f"reduction {entry['reduce_fx'].lower()}"] if "reduce_fx" in entry else [])
            for value in entry.get("dict", {"": entry.get("value")}).values():
                seen.update([f"dtype {value['dtype']}"] if isinstance(value, dict) and "dtype" in value else [])
            seen.update([f"kind of metric {entry['metric']['kind']}"] if "metric" in entry else [])
        seen.update([f"batch {script['batch'].get('kind', 'tensor')}"])
        seen.update([f"error {theirs['code']}"] if "code" in theirs else [])
        seen.update(f"warning {code}" for code in theirs["warnings"])
        seen["ranks"] += script["world"] > 1
        seen["mistakes"] += "code" in theirs
        seen["rows"] += len(theirs["rows"]) > 0
    hooks = generate.TRAIN_HOOKS + sum(generate.EPOCH_HOOKS.values(), []) + sum(generate.BATCH_HOOKS.values(), [])
    wanted = ([f"hook {hook}" for hook in hooks] + [f"dtype {dtype}" for dtype in generate.DTYPES]
              + [f"reduction {name}" for name in ("mean", "avg", "sum", "min", "max")]
              + [f"error {code}" for code in generate.MISTAKES] + [f"batch {kind}" for kind in generate.BATCH_KINDS]
              + [f"kind of metric {kind}" for kind in ("sum", "mean", "max", "min", "pair")]
              + [f"flag {name}" for name in ("on_step", "on_epoch", "prog_bar", "logger", "reduce_fx", "batch_size",
                                             "add_dataloader_idx", "sync_dist", "rank_zero_only", "enable_graph", "metric", "dict", "when", "from")]
              + [f"warning {code}" for code in ("W3", "W4", "W5", "W6", "W7", "W9")])
    rare = {name: seen[name] for name in wanted if seen[name] < 5}
    assert not rare, rare
    assert seen["error ?"] == 0
    assert seen["ranks"] * 5 >= COUNT and seen["mistakes"] * 7 >= COUNT and seen["rows"] * 2 >= COUNT


def test_examples_of_the_format():
    """The examples the format is explained with."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "examples.jsonl")) as file:
        pairs = [json.loads(line) for line in file]
    ours = compare.run_replay(REPLAY, [pair["script"] for pair in pairs])
    for pair, output in zip(pairs, ours):
        assert compare.compare(output, pair["output"]) is None
