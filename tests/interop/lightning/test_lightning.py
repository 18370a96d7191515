"""Random run scripts give the same rows, views, results, errors and warnings here and on Lightning.

TAFFRAIL_LIGHTNING_REPLAY names our program; TAFFRAIL_LIGHTNING_SCRIPTS how many scripts (260), TAFFRAIL_LIGHTNING_SEED which.
"""
import collections
import json
import os

import pytest

import compare
import generate
import gist
import odd
import refusals

REPLAY = os.environ["TAFFRAIL_LIGHTNING_REPLAY"]
COUNT = int(os.environ.get("TAFFRAIL_LIGHTNING_SCRIPTS", "260"))
SEED = int(os.environ.get("TAFFRAIL_LIGHTNING_SEED", "7"))


@pytest.fixture(scope="module")
def scripts():
    return generate.generate(COUNT, SEED)


@pytest.fixture(scope="module")
def outputs(scripts, tmp_path_factory):
    """Of the generated scripts, then of those written by hand; Lightning starts only once for both."""
    everything = scripts + odd.SCRIPTS + odd.TRIALS + refusals.SCRIPTS
    theirs = compare.run_lightning(everything, str(tmp_path_factory.mktemp("lightning")))
    return compare.run_replay(REPLAY, everything), theirs


def differences(scripts, ours, theirs):
    return "\n".join(f"{script['id']}: {found}" for script, mine, other in zip(scripts, ours, theirs, strict=True)
                     if (found := compare.compare(mine, other)))


def part(outputs, first, scripts):
    return differences(scripts, *(one[first:first + len(scripts)] for one in outputs))


def test_every_script_gives_the_same(scripts, outputs):
    assert not part(outputs, 0, scripts)


def test_odd_scripts_give_the_same(outputs):
    assert not part(outputs, COUNT, odd.SCRIPTS)


def test_finding_t21_overflow_maps_and_mistakes_on_ranks_are_the_same(outputs):
    assert not part(outputs, COUNT + len(odd.SCRIPTS), odd.TRIALS)


def test_finding_t21_the_same_calls_are_refused_in_every_hook(outputs):
    first = COUNT + len(odd.SCRIPTS) + len(odd.TRIALS)
    assert not part(outputs, first, refusals.SCRIPTS)
    theirs = outputs[1][first:]
    codes = collections.Counter(one.get("code", "allowed") for one in theirs)
    assert codes.keys() == {"allowed", "E1", "E2", "E4", "E13"} and min(codes.values()) >= 10, codes


def test_finding_t21_a_message_that_names_something_else_is_seen():
    theirs = "You can't `self.log(on_step=True)` inside `on_train_start`, must be one of (False,)."
    assert gist.difference("E4", "log(\"a\") with on_step = true is not allowed inside on_train_start", theirs) is None
    assert "on_train_start" in gist.difference("E4", "log(\"a\") with on_step = true is not allowed inside on_train_end", theirs)
    assert gist.difference("E4", "anything", "a sentence of a later version")


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
        seen.update({f"probe {probe['hook']}" for probe in theirs.get("probes", [])})
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
    assert all(seen[f"probe {hook}"] for hook in generate.LOADER_HOOKS if hook != "predict_dataloader"), seen
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
