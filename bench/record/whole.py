"""Our own whole default path on the peers' values: open, log, finish, seal; CPU of all threads, as the slope between two loads."""

import subprocess
import tempfile
from pathlib import Path

SMALL, LARGE = 10_000, 100_000  # rows of 20 values


class Whole:
    def __init__(self, context, folder: Path):
        self.context, self.folder = context, folder
        self.data = folder / "values"
        self.log_us, self.seal_ns, self.reason = [], [], None
        try:
            subprocess.run([context.venv("bench"), context.root / "bench/peers/data.py", self.data, str(LARGE)], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            self.reason = f"the peers' values cannot be made: {error.stderr.strip()[-300:]}"

    def measure(self, mode: str, rows: int) -> dict:
        with tempfile.TemporaryDirectory(prefix="store-", dir=self.folder) as store:
            return self.context.native("bench/record/record_whole", mode, store, str(self.data), str(rows))["whole"]

    def slope(self, mode: str) -> float:
        """CPU seconds of one more point."""
        low, high = self.measure(mode, SMALL), self.measure(mode, LARGE)
        return (high["cpu_s"] - low["cpu_s"]) / (high["points"] - low["points"])

    def sample(self) -> None:
        if self.reason:
            return
        try:
            self.log_us.append(self.slope("log") * 1e6)
            self.seal_ns.append(self.slope("seal") * 1e9)
        except RuntimeError as error:
            self.reason = str(error)
