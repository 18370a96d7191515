"""speedscope itself, in headless chromium, loads what we write and says what it understood."""

import json
import subprocess
from pathlib import Path

from conftest import STACKS, TORCH


def loaded(speedscope, *files):
    script = Path(__file__).with_name("speedscope.mjs")
    done = subprocess.run(["node", script, speedscope, *files], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def stacks_of(document):
    frames, found = document["shared"]["frames"], {}
    for profile in document["profiles"]:
        if profile["type"] == "sampled":
            for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
                key = tuple(frames[index]["name"] for index in stack)
                found[key] = found.get(key, 0) + weight
            continue
        open_frames, last = [], profile["startValue"]
        for event in profile["events"]:
            key = tuple(frames[index]["name"] for index in open_frames)
            found[key] = found.get(key, 0) + event["at"] - last
            last = event["at"]
            if event["type"] == "O":
                open_frames.append(event["frame"])
            else:
                assert open_frames.pop() == event["frame"]
        assert not open_frames
    return {key: weight for key, weight in found.items() if key and weight > 0}


def test_every_format_that_it_knows_is_understood(speedscope, convert, folded):
    formats = ["x.speedscope.json", "x.trace.json", "x.folded", "x.pb.gz", "x.callgrind"]
    paths = [convert(folded, name) for name in formats]
    timeline = convert(TORCH, "torch.speedscope.json")
    # Of a profile in seconds: its reader takes whole numbers only.
    seconds = convert(convert(folded, "x.prof"), "seconds.folded")
    results = loaded(speedscope, *paths, timeline, seconds)
    assert "refused" not in results[str(seconds)]
    assert {stack[-1] for stack in stacks_of(results[str(seconds)])} == {stack[-1] for stack in STACKS}
    total = sum(STACKS.values())
    for path in paths[:4]:
        document = results[str(path)]
        assert "refused" not in document, (path.name, document)
        found = stacks_of(document)
        whole = sum(found.values())
        assert {key: round(weight / whole * total) for key, weight in found.items()} == STACKS, path.name
    assert "refused" not in results[str(paths[4])]
    torch = results[str(timeline)]
    ours = stacks_of(json.loads(timeline.read_text()))
    theirs = stacks_of(torch)
    assert len(torch["profiles"]) == len(json.loads(timeline.read_text())["profiles"])
    assert {key: round(weight) for key, weight in theirs.items()} == ours


def test_names_of_any_bytes_load_as_a_trace_that_nests(speedscope, convert, tmp_path):
    names = ['a "quoted" name', "back\\slash \\u0041", "two\nlines\t", "nul \0 inside", "emoji 🚀", "</script><b>", "größe", "\x7f"]
    events = [{"ph": "X", "name": "main", "pid": 1, "tid": 1, "ts": 0, "dur": 100 * len(names)}]
    events += [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 100 * place, "dur": 90} for place, name in enumerate(names)]
    source = tmp_path / "names.trace.json"
    text = json.dumps({"traceEvents": events}).encode()
    source.write_bytes(text.replace(b'"main"', b'"broken \xff\xfe utf-8 \xc3"'))
    written = [convert(source, name) for name in ("again.trace.json", "again.speedscope.json")]
    for path in written:
        json.loads(path.read_text(encoding="utf-8", errors="strict"))
    for path, document in loaded(speedscope, *written).items():
        assert "refused" not in document, (path, document)
        found = stacks_of(document)
        assert [stack[0].startswith("broken ") for stack in found] == [True] * len(found), path
        leaves = {stack[1]: weight for stack, weight in found.items() if len(stack) == 2}
        scale = 1000 if path.endswith("speedscope.json") else 1
        assert {name: round(weight) for name, weight in leaves.items()} == {name: 90 * scale for name in names}, path
