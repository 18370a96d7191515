"""A profile of a million samples in the page: the first picture as flame graph, icicle and sunburst, and frames while it is zoomed."""

import random
import tempfile
from pathlib import Path

from bench.profile.served import in_browser, row, served

TARGETS = {
    "flame.first_ms": {"at_most": 1000},
    "icicle.first_ms": {"at_most": 1000},
    "sunburst.first_ms": {"at_most": 1000},
    "flame.zoom_frames": {"at_least": 30},
}


def write_samples(path, samples):
    """One line for each sample, as a sampler's raw output has them: 5 to 40 frames deep, few hot ways and many rare ones."""
    chance = random.Random(14)
    with open(path, "w") as file:
        for _ in range(samples):
            deep = chance.randint(5, 40)
            frames = ["main", f"worker_{chance.randrange(8)}"]
            frames += [f"module_{level}::function_{min(chance.randrange(60), chance.randrange(60), chance.randrange(60))}" for level in range(deep - 2)]
            file.write(";".join(frames) + " 1\n")


def run(context) -> list:
    samples = 100_000 if context.quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        write_samples(Path(folder) / "samples.folded", samples)
        with served(context, Path(folder) / "samples.folded") as server:
            found = in_browser("flame.mjs", {"url": server.url, "samples": samples})
    return [row(f"{tab}.first_ms", found["first_ms"][tab], f"ms after navigation, {samples:,} samples") for tab in ("flame", "icicle", "sunburst")] + [
        row("flame.zoom_frames", found["frames"], "frames a second while zooming into 30 functions and out")]
