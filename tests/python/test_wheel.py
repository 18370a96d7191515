"""The wheel as a file, and the package beside others that bring libraries of their own."""

import itertools
import os
import re
import subprocess
import sys
import zipfile

import pytest

WHEEL = os.environ.get("TAFFRAIL_WHEEL", "")
NEIGHBOURS = ("pyarrow", "google.protobuf.descriptor_pool", "numpy")


@pytest.fixture
def wheel():
    assert os.path.exists(WHEEL), "TAFFRAIL_WHEEL names no file; the stage sets it"
    return WHEEL


def test_the_wheel_is_small_and_holds_what_it_should(wheel):
    assert os.path.getsize(wheel) <= 25 << 20
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert "Requires-Dist" not in metadata
    assert {"taffrail/__init__.py", "taffrail/py.typed", "taffrail/_core.pyi"} <= set(names)
    assert any(name.endswith("/scripts/taffrail") for name in names)
    libraries = [os.path.basename(name) for name in names if ".so" in name and not name.startswith("taffrail/_core")]
    assert libraries and not any(name.startswith("libtaffrail") for name in libraries)
    for name in libraries:
        assert re.search(r"-[0-9a-f]{8}\.so", name), f"{name} could be taken for one of the host"


def test_auditwheel_finds_no_library_of_the_host(wheel):
    said = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    text = " ".join(said.stdout.split())
    found = re.search(r'constrains the platform tag to "manylinux_2_(\d+)_x86_64"', text)
    assert found and int(found[1]) <= 36, text


@pytest.mark.parametrize("order", list(itertools.permutations(("taffrail", *NEIGHBOURS))), ids=lambda order: "-".join(name.split(".")[0] for name in order))
def test_imports_in_any_order_live_in_one_process(root, order):
    """Everybody works: a run is written and read into Arrow, and a message is made."""
    text = "\n".join(f"import {name}" for name in order) + """
from google.protobuf import struct_pb2
with taffrail.init(name="n") as run:
    run.log({"a": 1.0}, step=0)
    run.log_image("picture", numpy.zeros((4, 4, 3), "u1"))
table = pyarrow.table(taffrail.read().run("n").read("a"))
message = struct_pb2.Struct()
message["a"] = 1.0
assert table.num_rows == 1 and message.SerializeToString()
"""
    done = subprocess.run([sys.executable, "-W", "error::RuntimeWarning", "-c", text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
