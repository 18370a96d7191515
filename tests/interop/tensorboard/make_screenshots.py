"""Trains the example twice with the tensorboard sink, opens TensorBoard on it and takes pictures of its pages.

    python make_screenshots.py [FOLDER]        default: docs/images/tensorboard

Needs node with playwright-core (web/node_modules, or TAFFRAIL_NODE_MODULES) and Debian's chromium.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conftest import ROOT, TensorBoard, build_folder

HERE = Path(__file__).parent
PROGRAM = build_folder() / "examples/vae_digits/vae_digits"


def train(work: Path, name: str, *settings: str) -> None:
    output = work / name
    output.mkdir()
    # Relative paths: they stand among the settings that the HPARAMS page shows.
    subprocess.run([PROGRAM, f"name={name}", "trainer.enable_progress_bar=false", "logger=tensorboard",
                    f"+logger.tensorboard.config.log_dir=../logs/{name}", *settings],
                   cwd=output, env={**os.environ, "TAFFRAIL_DIR": str(work / "native")}, check=True, timeout=600)


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images/tensorboard"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="taffrail-screenshots-") as folder:
        work = Path(folder)
        train(work, "small", "trainer.max_epochs=6", "trainer.log_every_n_steps=10")
        train(work, "wide", "trainer.max_epochs=6", "trainer.log_every_n_steps=10", "model.hidden=256", "trainer.learning_rate=4.0e-3")
        board = TensorBoard(work / "logs", "rust")
        try:
            board.wait_for_runs({"small", "wide"})
            subprocess.run(["node", HERE / "screenshots.mjs", board.address, target, "small"], check=True, timeout=600)
        finally:
            board.close()


if __name__ == "__main__":
    main()
