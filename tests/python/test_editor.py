"""An editor's breakpoints: debugpy, which VS Code and others start, stops a program that logs, steps through it, and nothing is lost meanwhile."""

import json
import os
import socket
import subprocess
import sys
import time

import pytest
import taffrail

pytest.importorskip("debugpy")

PROGRAM = """
import threading, taffrail

class Seen(taffrail.Sink):
    def write(self, records):
        pass

run = taffrail.init(name="n", sinks=[Seen()])
for step in range(3):
    loss = 1.0 / (step + 1)
    run.log({"loss": loss}, step=step)
    with taffrail.zone("step"):
        doubled = loss * 2
run.finish()
"""
LINE = 1 + PROGRAM.splitlines().index("        doubled = loss * 2")


class Editor:
    """Speaks the Debug Adapter Protocol: messages of JSON with their length in front."""

    def __init__(self, port):
        until = time.monotonic() + 120
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                assert time.monotonic() < until, "debugpy does not listen"
                time.sleep(0.1)
        self.file, self.number, self.met = self.socket.makefile("rb"), 0, []

    def close(self):
        self.file.close()
        self.socket.close()

    def ask(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.number

    def until(self, fits):
        """The first message that fits, among those that came before too."""
        for message in self.met:
            if fits(message):
                self.met.remove(message)
                return message
        while True:
            length = 0
            while (line := self.file.readline().strip()) or not length:
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.file.read(length))
            if fits(message):
                return message
            self.met.append(message)

    def event(self, name):
        return self.until(lambda message: message.get("event") == name).get("body", {})

    def answer(self, command, **arguments):
        number = self.ask(command, **arguments)
        said = self.until(lambda message: message.get("request_seq") == number)
        assert said["success"], said
        return said.get("body", {})

    def value(self, thread, expression):
        frame = self.answer("stackTrace", threadId=thread)["stackFrames"][0]
        return frame["line"], self.answer("evaluate", expression=expression, frameId=frame["id"])["result"]


def test_breakpoints_of_an_editor_stop_and_step(root, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = (tmp_path / "said.txt").open("w+")  # no pipe: debugpy's helper would hold it open
    child = subprocess.Popen([sys.executable, "-Xfrozen_modules=off", "-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client", str(script)],
                             stdout=said, stderr=said, env={**os.environ, "TAFFRAIL_ZONES": "none"})
    editor = Editor(port)
    try:
        editor.answer("initialize", adapterID="test", pathFormat="path", linesStartAt1=True)
        editor.ask("attach", justMyCode=False)
        editor.event("initialized")
        set_there = editor.answer("setBreakpoints", source={"path": str(script)}, breakpoints=[{"line": LINE, "condition": "step == 1"}])
        assert set_there["breakpoints"][0]["verified"]
        editor.answer("configurationDone")
        stopped = editor.event("stopped")
        assert stopped["reason"] == "breakpoint"
        assert editor.value(stopped["threadId"], "loss") == (LINE, "0.5")
        editor.answer("evaluate", expression="run.flush()", frameId=editor.answer("stackTrace", threadId=stopped["threadId"])["stackFrames"][0]["id"])
        assert taffrail.read(root).run("n")["loss"].value.tolist() == [1.0, 0.5], "what was logged can be looked at meanwhile"
        editor.answer("next", threadId=stopped["threadId"])
        stepped = editor.event("stopped")
        assert stepped["reason"] == "step" and editor.value(stepped["threadId"], "doubled")[1] == "1.0"
        editor.answer("continue", threadId=stepped["threadId"])
        editor.event("terminated")
        assert child.wait(timeout=120) == 0, (tmp_path / "said.txt").read_text()
    finally:
        child.kill()
        child.wait()
        editor.close()
        said.close()
    info = taffrail.read(root).run("n").info
    assert info.state == "finished" and len(taffrail.read(root).run("n")["loss"]) == 3
