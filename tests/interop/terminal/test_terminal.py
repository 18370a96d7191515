"""Bars and the statistics table in a real terminal: what tmux shows is what a person sees."""

import os
import pathlib
import re
import subprocess
import time
import uuid

import pytest

BUILD = pathlib.Path(os.environ.get("TAFFRAIL_BUILD", pathlib.Path(__file__).parents[3] / "build" / "ci"))
BARS = BUILD / "tests" / "pipeline" / "bars_program"
TABLE = BUILD / "tests" / "pipeline" / "table_program"
EXAMPLE = BUILD / "examples" / "vae_digits" / "vae_digits"


class Terminal:
    """One tmux window of its own server; ends with the test. Its shell stands in `folder`, which holds the programs under
    short names: a typed command must not wrap, or its second line could be taken for output."""

    def __init__(self, folder, columns=80, rows=24, environment=None):
        self.server = f"taffrail-{uuid.uuid4().hex[:8]}"
        settings = {"LANG": "C.UTF-8", "PS1": "$ ", **(environment or {})}
        shell = " ".join(f"{name}='{value}'" for name, value in settings.items())
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder), f"env {shell} sh")
        self.wait_for(r"\$ *$")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-L", self.server, *arguments], capture_output=True, text=True, timeout=20).stdout

    def type(self, text):
        self.tmux("send-keys", text, "Enter")

    def key(self, key):
        self.tmux("send-keys", key)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self):
        return [line.rstrip() for line in self.tmux("capture-pane", "-p").splitlines()]

    def history(self):
        return [line.rstrip() for line in self.tmux("capture-pane", "-p", "-S", "-", "-J").splitlines() if line.strip()]

    def wait_for(self, pattern, seconds=30):
        """Until a line of the screen matches; returns the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen()
            if any(re.search(pattern, line) for line in screen):
                return screen
            time.sleep(0.05)
        pytest.fail(f"no line matches {pattern!r}:\n" + "\n".join(self.screen()))

    def close(self):
        self.tmux("kill-server")


@pytest.fixture
def terminal(tmp_path):
    for program in (BARS, TABLE, EXAMPLE):
        (tmp_path / program.name.removesuffix("_program")).symlink_to(program.resolve())
    made = []

    def make(*arguments, **keywords):
        made.append(Terminal(tmp_path, *arguments, **keywords))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_prints_appear_above_the_bar_and_the_bar_once(terminal):
    window = terminal(rows=40)
    window.type("clear; ./bars 40 30 print; echo end-of-test")
    window.wait_for("^end-of-test")
    lines = window.history()
    for i in (0, 10, 20, 30):
        for word in ("printf", "cout", "cerr", "stderr"):
            assert lines.count(f"{word} {i}") == 1, lines
    bars = [line for line in lines if line.startswith("work:")]
    assert len(bars) == 1 and "100%" in bars[0] and "40/40" in bars[0], lines
    assert lines.index(bars[0]) > lines.index("stderr 30")


def test_bar_survives_resizes(terminal):
    window = terminal(columns=100)
    window.type("clear; ./bars 300 30 print")
    window.wait_for("work: +[1-9][0-9]?%")
    window.resize(50, 24)
    time.sleep(0.4)
    window.resize(120, 24)
    window.wait_for("^done")
    lines = window.history()
    assert sum(line.startswith("work: 100%") for line in lines) == 1, lines
    assert sum("it/s]" in line for line in lines) == 1, lines


def bars_in(lines, steps):
    """The whole history: beginnings of bars, and ends of them."""
    return [line for line in lines if line.startswith("work:") or re.search(rf"\d+/{steps}", line) or re.search(r"it/s\]", line)]


@pytest.mark.parametrize("widths", [(50,), (50, 120, 50)], ids=["at once", "and back"])
@pytest.mark.parametrize("program", ["./bars 150 20", "./bars 150 20 print"], ids=["alone", "with text"])
def test_finding_t12_narrowing_leaves_nothing_of_the_old_bar(terminal, program, widths):
    window = terminal(columns=100)
    window.type(f"clear; {program}; echo end-of-test")
    window.wait_for("work: +[1-9][0-9]?%")
    for width in widths:
        before = next((line for line in window.screen() if line.startswith("work:")), "")
        window.resize(width, 24)
        end = time.monotonic() + 20
        while time.monotonic() < end:  # until the bar was drawn anew
            now = next((line for line in window.screen() if line.startswith("work:")), "")
            if now and now != before:
                break
            time.sleep(0.05)
    window.wait_for("^end-of-test")
    lines = window.history()
    parts = bars_in(lines, 150)
    assert len(parts) == 1 and parts[0].startswith("work: 100%"), lines


class ToldSize:
    """How long tmux kept a new width to itself: it wraps the text of a window that is dragged at once and tells the program its size up to a quarter of a second later."""

    def __init__(self, window, columns):
        self.window = window
        self.wanted = self.told = columns
        self.differ_since = None  # of the width told last, how long it has been untrue
        self.longest = 0.0
        self.tty = os.open(window.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDONLY | os.O_NOCTTY)

    def look(self):
        now = time.monotonic()
        told = os.get_terminal_size(self.tty).columns
        if told != self.told or told == self.wanted:
            self.differ_since = None
        self.told = told
        if told != self.wanted:
            self.differ_since = self.differ_since or now
            self.longest = max(self.longest, now - self.differ_since)

    def drag(self, widths, rows=24):
        """From rest: the bar still fits into the first width, and the program has been told of it before the window gets narrower than the bar.
        Of a drag that tmux has not told of yet no program can know (it keeps even the first width to itself where it told another a moment ago)."""
        first, *others = widths
        self.resize(first, rows)
        self.wait_until_told()
        for width in others:
            time.sleep(0.02)
            self.resize(width, rows)
        self.wait_until_told()
        os.close(self.tty)

    def resize(self, width, rows):
        self.wanted = width
        self.look()
        self.window.resize(width, rows)
        self.look()

    def wait_until_told(self):
        while self.told != self.wanted:
            self.look()
            time.sleep(0.005)


SETTLED = 0.3  # seconds a width must have stood before the bar is drawn on it; a tmux that tells it later than that cannot be helped


@pytest.mark.alone
@pytest.mark.parametrize("widths", [range(96, 40, -4), [*range(96, 40, -4), *range(44, 100, 4), *range(96, 40, -4)]], ids=["narrower", "to and fro"])
@pytest.mark.parametrize("words", ["", " print"], ids=["alone", "with text"])
def test_finding_t12_dragging_leaves_nothing_of_the_old_bar(terminal, words, widths):
    for _ in range(10):
        window = terminal(columns=100)
        window.type(f"clear; ./bars 300 20{words}; echo end-of-test")
        window.wait_for("work: +[1-9][0-9]?%")
        told = ToldSize(window, 100)
        told.drag(widths)
        assert "end-of-test" not in window.screen(), "the bar was there while the window was dragged"
        window.wait_for("^end-of-test")
        if told.longest < SETTLED - 0.02:
            break
    else:
        pytest.fail("in ten tries tmux never told the width of a dragged window in time")
    lines = window.history()
    parts = bars_in(lines, 300)
    assert len(parts) == 1 and parts[0].startswith("work: 100%"), lines
    if words:
        printed = [line for line in lines if re.fullmatch(r"(printf|cout|cerr|stderr) \d+", line)]
        assert printed == [f"{word} {step}" for step in range(0, 300, 10) for word in ("printf", "cout", "cerr", "stderr")], lines


def test_validation_bar_stands_below_and_vanishes(terminal):
    window = terminal(columns=110)
    window.type("clear; ./bars 20 40 train; echo end-of-test")
    screen = window.wait_for("Validation DataLoader 0: +[1-9]")
    assert next(i for i, line in enumerate(screen) if line.startswith("Epoch 0: 100%")) < next(
        i for i, line in enumerate(screen) if line.startswith("Validation"))
    window.wait_for("^end-of-test")
    lines = window.history()
    assert not any("Validation" in line for line in lines)
    assert sum(line.startswith("Epoch 0: 100%") for line in lines) == 1
    assert sum(line.startswith("Epoch 1: 100%") for line in lines) == 1
    assert any("val_loss=0.250" in line for line in lines)


def test_interrupted_bar_leaves_a_clean_prompt(terminal):
    window = terminal()
    window.type("clear; ./bars 1000 20")
    window.wait_for("work: +[2-9][0-9]?%")
    window.key("C-c")
    screen = window.wait_for(r"^\$")
    assert [line for line in screen if line.startswith("work:")].__len__() == 1, screen
    window.type("echo typed")
    window.wait_for("^typed")


def test_interrupted_training_says_so_above_its_bar(terminal):
    window = terminal(columns=90, environment={"TAFFRAIL_MODE": "off"})
    window.type("clear; ./vae_digits trainer.max_epochs=20000 data.train_digits=640 model.hidden=32; echo end-of-test")
    window.wait_for("Epoch \\d+/19999: +[1-9]")
    window.key("C-c")
    window.wait_for("^end-of-test")
    lines = window.history()
    said = [index for index, line in enumerate(lines) if line.startswith("taffrail: stopping after this batch")]
    assert len(said) == 1, lines
    # One bar per epoch, the last of them below the message: none was left behind where the message came.
    bars = [line.split(":")[0] for line in lines if line.startswith("Epoch ")]
    assert len(bars) == len(set(bars)), lines
    assert lines[-2].startswith("held-out PSNR") or lines[-3].startswith("held-out PSNR"), lines


def test_nothing_is_drawn_while_a_debugger_holds_the_process(terminal):
    window = terminal(rows=40)
    window.type("clear; gdb -q -nx -ex 'set pagination off' -ex run --args ./bars 60 20 break")
    window.wait_for("SIGTRAP", 60)
    window.wait_for(r"^\(gdb\) *$")
    before = window.screen()
    time.sleep(0.5)
    assert window.screen() == before
    window.type("next")
    window.type("print 6*7")
    screen = window.wait_for("= 42")
    assert not any("it/s" in line for line in screen), screen
    window.type("continue")
    screen = window.wait_for("exited normally", 60)
    assert sum("it/s" in line for line in screen) == 1, screen


def test_table_keeps_ten_rows_in_place(terminal):
    window = terminal(columns=100, rows=30)
    window.type("clear; ./table 50 20 10; echo end-of-test")
    window.wait_for("^end-of-test")
    lines = window.history()
    rows = [line for line in lines if re.match(r"\d+ \(\d+\.\d\d%\)", line)]
    assert [int(row.split()[0]) for row in rows] == list(range(40, 50)), lines
    assert sum(line.startswith("Step (% Done)") for line in lines) == 1


def test_table_lets_prints_pass_above(terminal):
    window = terminal(columns=100, rows=30)
    window.type("clear; ./table 30 30 5 print; echo end-of-test")
    window.wait_for("^end-of-test")
    lines = window.history()
    assert [line for line in lines if line.startswith("note")] == ["note 3", "note 13", "note 23"]
    assert len([line for line in lines if re.match(r"\d+ \(", line)]) == 5, lines


def test_table_survives_a_narrower_window(terminal):
    window = terminal(columns=110, rows=30)
    window.type("clear; ./table 40 100 5; echo end-of-test")
    window.wait_for(r"^[12]\d \(")
    window.resize(60, 30)
    window.wait_for("^end-of-test")
    screen = window.screen()
    rows = [line for line in screen if re.match(r"\d+ \(", line)]
    assert [int(row.split()[0]) for row in rows] == list(range(35, 40)), screen
    # 60 places hold two of the four columns whole; nothing is cut in the middle.
    assert next(line for line in screen if line.startswith("Step")).endswith(" ..."), screen
    assert all(re.fullmatch(r"\d+ \([\d.]+%\) +[\d.]+ m?s(, [\d.]+ ms)?", row) for row in rows), rows


def test_size_zero_erases_nothing(terminal):
    window = terminal(columns=100, rows=70)
    window.type("clear; ./table 50 5 0; echo end-of-test")
    window.wait_for("^end-of-test")
    assert len([line for line in window.history() if re.match(r"\d+ \(", line)]) == 50


def run_plain(*command, environment=None):
    """Without a terminal: bytes as they come."""
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=60, check=True,
                          env={**os.environ, **(environment or {})}).stdout


def test_no_escapes_without_a_terminal():
    bars = run_plain(BARS, 40, 1)
    assert b"\x1b" not in bars and b"\r" not in bars
    assert bars.count(b"work:") == 10
    table = run_plain(TABLE, 50, 1, 10)
    assert b"\x1b" not in table and table.count(b"\n") == 52


@pytest.mark.parametrize("term,color", [("dumb", False), ("xterm", False)])
def test_dumb_terminals_and_no_color(terminal, term, color, tmp_path):
    window = terminal(environment={"TERM": term, "NO_COLOR": "1"})
    log = tmp_path / "typescript"
    window.tmux("pipe-pane", "-o", f"cat > {log}")
    window.type("./bars 20 20; echo end-of-test")
    window.wait_for("^end-of-test")
    time.sleep(0.2)
    written = log.read_bytes()
    assert b"\x1b[36m" not in written
    if term == "dumb":
        assert b"\x1b[" not in written.split(b"\n", 1)[1].split(b"end-of-test")[0], written
