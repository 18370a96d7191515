"""make.py FOLDER: the repository beside this file, by Aim 3.29.1 (its own libraries; Python up to 3.12).

A run that is opened three times, so that each part of it has several table files, with everything that is written over or deleted in Aim: a point, a parameter, a
branch of parameters. What RocksDB needs no longer to read it is left out.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HASH = "0123456789abcdef01234567"
PARTS = [(0, 8), (5, 14), (14, 18)]


def write(folder: Path, number: int) -> None:
    import aim.sdk.base_run

    aim.sdk.base_run.generate_run_hash = lambda *_, **__: HASH
    from aim import Run

    run = Run(run_hash=HASH if number > 0 else None, repo=str(folder), experiment="demo", system_tracking_interval=None, log_system_params=False, capture_terminal_logs=False)
    if number == 0:
        run["lr"] = 0.5
        run["net"] = {"layers": 3, "act": "relu", "deep": {"er": True}}
        run["gone"] = {"a": 1, "b": {"c": 2}}
    elif number == 1:
        run["lr"] = 0.25
        run["net"] = {"layers": 4}
        del run["gone"]
    for step in range(*PARTS[number]):
        run.track(float(number) if step == 6 else 1 / (step + 1), name="loss", step=step, epoch=step // 4, context={"subset": "train"})
        run.track(step * 2, name="count", step=step * 1000)
    run.close()


def main(folder: Path) -> None:
    for number in range(len(PARTS)):  # what a process wrote becomes a table when the next one opens the folder
        subprocess.run([sys.executable, __file__, folder, str(number)], check=True)
    subprocess.run([Path(sys.executable).with_name("aim"), "storage", "--repo", folder, "reindex", "--yes"], check=True)
    for name in ("meta", "seqs"):
        to = folder / "kept/.aim" / name / "chunks" / HASH
        to.mkdir(parents=True)
        for file in (folder / ".aim" / name / "chunks" / HASH).iterdir():
            if file.suffix == ".sst" or file.name == "CURRENT" or file.name.startswith("MANIFEST"):
                shutil.copy(file, to)
    shutil.copy(folder / ".aim/VERSION", folder / "kept/.aim")


if len(sys.argv) > 2:
    write(Path(sys.argv[1]), int(sys.argv[2]))
else:
    main(Path(sys.argv[1]))
