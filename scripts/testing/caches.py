"""Whether the caches were empty or full when a run began, so that its time can be told for what it is."""

import os
import subprocess
from pathlib import Path

import peers

FEW = 0.05  # of the compilations may miss in a warm run


def compiler_counts() -> tuple[int, int]:
    """Compilations that hit and that missed, since the cache was made."""
    said = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True).stdout
    numbers = {name: int(value) for name, value in (line.split("\t") for line in said.splitlines() if "\t" in line) if value.isdigit()}
    return numbers.get("direct_cache_hit", 0) + numbers.get("preprocessed_cache_hit", 0), numbers.get("cache_miss", 0)


def compiled_files() -> int:
    folder = Path(subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True).stdout.strip() or "/nonexistent")
    return sum(1 for _, _, names in os.walk(folder) for name in names if name.endswith("R"))


class Caches:
    """Made when a run begins."""

    def __init__(self):
        self.environments = [name for name in peers.FAMILIES if (peers.cache_folder() / name / "requirements.txt").exists()]
        self.compiled = compiled_files()
        self.before = compiler_counts()

    def kind(self) -> str | None:
        """'cold', 'warm', or None for a run between the two."""
        if self.compiled == 0 and not self.environments:
            return "cold"
        hits, misses = (now - then for now, then in zip(compiler_counts(), self.before))
        needed = set(peers.FAMILIES) - peers.FULL_ONLY
        return "warm" if needed <= set(self.environments) and misses <= FEW * max(1, hits + misses) else None
