"""Runs scripts through lightning_replay and through Lightning, and says where they differ.

    compare.py REPLAY SCRIPTS.jsonl [--keep FOLDER]
"""
import json
import math
import os
import socket
import subprocess
import sys
import tempfile

import gist

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run_lightning(scripts, folder, python=sys.executable):
    """The outputs of real Lightning, in the order of the scripts; ranks beyond 0 go to other_ranks."""
    outputs = {}
    waiting = []
    for world in (1, 2, 3):
        mine = [script for script in scripts if script.get("world", 1) == world]
        if not mine:
            continue
        path = os.path.join(folder, f"scripts{world}.jsonl")
        with open(path, "w") as file:
            file.writelines(json.dumps(script) + "\n" for script in mine)
        port = str(free_port())
        ranks = []
        for rank in range(world):
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "CUDA_VISIBLE_DEVICES": ""}
            if world > 1:
                environment.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), GROUP_RANK="0",
                                   LOCAL_WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port,
                                   TORCHELASTIC_RUN_ID="scripts")
            result = os.path.join(folder, f"lightning{world}.{rank}.jsonl")
            log = open(os.path.join(folder, f"lightning{world}.{rank}.log"), "w")
            ranks.append((result, subprocess.Popen([python, os.path.join(HERE, "lightning_player.py"), path, result],
                                                   env=environment, stdout=log, stderr=log)))
        waiting.append((mine, ranks))
    for mine, ranks in waiting:
        for result, process in ranks:
            if process.wait(timeout=1800) != 0:
                raise RuntimeError(f"Lightning failed, see {result[:-6]}.log")
        results = [[json.loads(line) for line in open(result)] for result, _ in ranks]
        for index, script in enumerate(mine):
            output = results[0][index]
            if len(ranks) > 1:
                output["other_ranks"] = [rank[index]["stages"] for rank in results[1:]]
            outputs[script["id"]] = output
    return [outputs[script["id"]] for script in scripts]


def run_replay(replay, scripts):
    text = "".join(json.dumps(script) + "\n" for script in scripts)
    done = subprocess.run([replay], input=text, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError("lightning_replay: " + done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def difference(ours, theirs, path=""):
    """The first difference as text, or nothing."""
    if isinstance(theirs, (int, float)) and not isinstance(theirs, bool) and isinstance(ours, (int, float)):
        near = math.isclose(ours, theirs, rel_tol=0, abs_tol=1e-6 * max(1, abs(theirs)))
        return None if near else f"{path}: {ours} instead of {theirs}"
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if set(ours) != set(theirs):
            return f"{path}: keys {sorted(ours)} instead of {sorted(theirs)}"
        pairs = [(f"{path}.{name}", ours[name], theirs[name]) for name in theirs]
    elif isinstance(theirs, list) and isinstance(ours, list):
        pairs = [(f"{path}[{index}]", mine, other) for index, (mine, other) in enumerate(zip(ours, theirs))]
        for place, mine, other in pairs:
            found = difference(mine, other, place)
            if found:
                return found
        return None if len(ours) == len(theirs) else f"{path}: {len(ours)} items instead of {len(theirs)}"
    else:
        return None if ours == theirs else f"{path}: {ours!r} instead of {theirs!r}"
    for place, mine, other in pairs:
        found = difference(mine, other, place)
        if found:
            return found
    return None


def compare(ours, theirs):
    """What differs between two outputs. Of messages not the wording, but what they name."""
    for name in ("error", "code", "rows", "stages", "probes", "other_ranks"):
        found = difference(ours.get(name), theirs.get(name), name)
        if found:
            return found
    if "message" in theirs and (found := gist.difference(theirs["code"], ours["message"], theirs["message"])):
        return f"message: {found}"
    if set(ours["warnings"]) != set(theirs["warnings"]):
        return f"warnings: {sorted(ours['warnings'])} instead of {sorted(theirs['warnings'])}"
    return None


def main():
    replay, path = sys.argv[1:3]
    scripts = [json.loads(line) for line in open(path)]
    with tempfile.TemporaryDirectory() as folder:
        folder = sys.argv[4] if len(sys.argv) > 4 and sys.argv[3] == "--keep" else folder
        os.makedirs(folder, exist_ok=True)
        theirs = run_lightning(scripts, folder)
        ours = run_replay(replay, scripts)
    different = 0
    for script, mine, other in zip(scripts, ours, theirs):
        found = compare(mine, other)
        if found:
            different += 1
            print(f"{script['id']}: {found}")
    print(f"{len(scripts)} scripts, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
