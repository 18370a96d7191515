"""Files of run folders and logdirs are opened by io/inside.h and by nothing else: one place that refuses devices, pipes and links that lead out."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("store", "seal", "record", "sources", "sinks", "trackers", "transfer")
PLAIN = re.compile(r"io::(open\((?![^;]*CreateExclusive)|read_file\(|read_text\()")

# What is no file of a run folder, or was made by this process a moment ago.
OTHERS = {
    "src/record/identity.cpp": "/proc",
    "src/store/log_spool.cpp": "the spool folder that this process writes",
    # A sink's place is named by the user, or lies in the run folder and was looked at before (transfer::check_usual_place).
    **{f"src/sinks/{name}.cpp": "the place of a sink" for name in ("aim/repository", "comet/archive", "csv/sink", "csv/table", "tensorboard/projector_files", "wandb/run_file")},
    "src/sinks/tensorboard/delivery_state.cpp": "the place of a sink, of a file that is no link",
    "src/sinks/wandb/graphql.cpp": "the user's key",
}


def test_finding_s12_files_of_runs_are_opened_in_one_place():
    found = set()
    for layer in LAYERS:
        for path in (ROOT / "src" / layer).rglob("*.cpp"):
            if PLAIN.search(path.read_text()):
                found.add(str(path.relative_to(ROOT)))
    assert found == set(OTHERS), "use io::open_inside() or io::read_inside() (src/io/inside.h), or say here why not"
