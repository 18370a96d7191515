"""libtaffrail-cuda.so in a real Python, which has ways of its own to end: Ctrl-C that nobody catches is a KeyboardInterrupt first, and then the signal, after which nothing of C runs."""

import json
import os
import signal
import subprocess
import sys

import pytest
from conftest import BUILD

LIBRARY = BUILD / "lib" / "taffrail" / "libtaffrail-cuda.so"
FAKE = BUILD / "tests" / "gpu" / "libfake_cupti.so"
# A shell starts what runs in the background with Ctrl-C ignored, tests too: Python takes its handler only where it is not.
IMPORTS = f"import ctypes, os, signal, sys, time; signal.signal(signal.SIGINT, signal.default_int_handler); fake = ctypes.CDLL({str(FAKE)!r})\n"
# What CUDA does at the first call, and a kernel.
BEGIN = f"assert ctypes.CDLL({str(LIBRARY)!r}).InitializeInjection() == 1; fake.fake_cupti_launch(b'of_python')\n"
WAYS = {
    "end": ("pass", 0),
    "sys.exit": ("sys.exit(3)", 3),
    "exception": ("raise RuntimeError('mid epoch')", 1),
    "Ctrl-C": ("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)", -signal.SIGINT),
    "caught Ctrl-C": ("try:\n    os.kill(os.getpid(), signal.SIGINT); time.sleep(60)\nexcept KeyboardInterrupt:\n    sys.exit(4)", 4),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM),
    "handled SIGTERM": ("signal.signal(signal.SIGTERM, lambda *_: sys.exit(5)); os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", 5),
    "a child": ("if os.fork() == 0:\n    sys.exit(0)\nos.wait()", 0),
}


def traced(folder, program, before=""):
    environment = {**os.environ, "TAFFRAIL_CUPTI_LIBRARY": str(FAKE), "TAFFRAIL_CUDA_TRACE": str(folder)}
    done = subprocess.run([sys.executable, "-c", IMPORTS + before + BEGIN + program], env=environment, capture_output=True, text=True, timeout=120)
    traces = [json.loads(path.read_text()) for path in folder.iterdir()]
    return done, [[event["name"] for event in trace["traceEvents"] if event.get("cat") == "kernel"] for trace in traces]


@pytest.mark.parametrize("way", WAYS)
def test_however_the_program_ends_its_trace_is_there(tmp_path, way):
    program, status = WAYS[way]
    done, kernels = traced(tmp_path, program)
    assert done.returncode == status, done.stderr
    assert kernels == [["of_python"]], done.stderr
    assert done.stderr.count("GPU trace: ") == 1


def test_what_comes_after_the_interpreter_is_in_the_trace_too(tmp_path):
    """As in a program with Python in it. What is registered before the library is called after it, when Python has ended and C has not."""
    done, kernels = traced(tmp_path, "", before="ctypes.pythonapi.Py_AtExit(fake.fake_cupti_launch_late)\n")
    assert done.returncode == 0, done.stderr
    assert kernels == [["of_python", "late"]], done.stderr
    assert done.stderr.count("GPU trace: ") == 1
