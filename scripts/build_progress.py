"""build_progress.py LOG [STEPS]: reads what ninja prints, keeps it in LOG and shows one line that moves.

ninja must run with NINJA_STATUS='[%f/%t] '; it names the number of steps only when the first is done, STEPS is for the time before. On a terminal the line is redrawn every second, else a line comes now and then.
Ends with 1, and the last lines of the log, when a step failed or ninja stopped before its last one.
"""

import queue
import re
import sys
import threading
import time

STEP = re.compile(r"\[(\d+)/(\d+)\] ")
PLAIN_EVERY_S = 15
WIDTH = 28


def minutes(seconds: float) -> str:
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"


class Progress:
    def __init__(self, total: int = 0):
        self.done, self.total = 0, total
        self.failed = False

    def take(self, line: str) -> None:
        """One line of ninja's. What CMake does before the first step is no part of the share."""
        if line.startswith("FAILED: ") or line.startswith("ninja: error") or line.startswith("ninja: build stopped"):
            self.failed = True
        elif (step := STEP.match(line)) and not line.rstrip().endswith("Re-checking globbed directories..."):
            self.done, self.total = int(step[1]), int(step[2])

    def share(self) -> float:
        return self.done / self.total if self.total else 0.0

    def line(self, elapsed: float) -> str:
        filled = int(self.share() * WIDTH)
        text = f"[{'=' * filled}{' ' * (WIDTH - filled)}] {self.share():4.0%}  {self.done} of {self.total or '?'} steps, {minutes(elapsed)}"
        # The first steps say little about the rest.
        if self.total and self.done < self.total and self.share() > 0.04:
            text += f", about {minutes(elapsed / self.share() - elapsed)} left"
        return text


def main(log_path: str, steps: str = "0") -> int:
    lines: queue.Queue = queue.Queue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    progress, began, shown, moving = Progress(int(steps)), time.monotonic(), 0.0, sys.stdout.isatty()
    kept = []
    with open(log_path, "w") as log:
        while True:
            try:
                line = lines.get(timeout=1)
                if line is None:
                    break
                log.write(line)
                log.flush()
                kept = [*kept, line][-40:]
                progress.take(line)
            except queue.Empty:
                pass  # a long step: the time moves all the same
            now = time.monotonic()
            if moving and now - shown >= 0.2:
                print("\r\033[K" + progress.line(now - began), end="", flush=True)
                shown = now
            elif not moving and now - max(shown, began) >= PLAIN_EVERY_S:
                print(progress.line(now - began), flush=True)
                shown = now
    if moving:
        print("\r\033[K", end="")
    if progress.failed:
        print("".join(kept) + f"The build failed; all of its output: {log_path}", file=sys.stderr)
        return 1
    print(f"Built in {minutes(time.monotonic() - began)}.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
