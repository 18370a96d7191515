"""The two commands of the README: what they build, what they say, and what they need."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "testing"), str(ROOT / "web" / "tools")]

import build_progress  # noqa: E402
import debian_root  # noqa: E402
import fetch_packages  # noqa: E402
import newcomer  # noqa: E402
import stages  # noqa: E402
from context import Context  # noqa: E402


def configure(preset: str, folder: Path, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run(["cmake", "--preset", preset, "-B", folder, *options], cwd=ROOT, capture_output=True, text=True)


def compile_lines(folder: Path) -> dict:
    """File -> compile line, from the compiler on: what a compiler cache sees."""
    lines = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        if "/src/" in entry["file"].replace(str(folder), "") and "silent_compiler" not in entry["file"]:
            command = entry["command"].replace(str(folder), "BUILD")
            lines[entry["file"].replace(str(folder), "BUILD")] = command[re.search(r"\S*(c\+\+|g\+\+|gcc|cc)(-\d+)? ", command.replace("ccache ", "       ")).start():]
    return lines


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    """The release preset where the tests' packages are not installed."""
    folder = tmp_path_factory.mktemp("release")
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("GTest", "rapidcheck", "benchmark")]
    done = configure("release", folder, *hidden)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def test_finding_f01_the_release_preset_needs_no_package_of_the_tests(release):
    targets = subprocess.run(["ninja", "-C", release, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^taffrail_command: phony", targets, re.M) and re.search(r"^vae_digits: phony", targets, re.M)
    assert not re.search(r"^\w+_(test|bench): phony", targets, re.M), "tests and benchmarks are built only where asked for"


def test_finding_f01_a_plain_configure_asks_for_no_package_of_the_tests():
    text = (ROOT / "CMakeLists.txt").read_text()
    for option in ("TAFFRAIL_TESTS", "TAFFRAIL_BENCH"):
        assert re.search(rf'option\({option} "[^"]+" OFF\)', text)


def test_what_is_tested_is_compiled_as_what_people_run(release, tmp_path):
    """One compiler cache serves both, and a fault of the compiled code cannot hide from the tests."""
    done = configure("ci", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    shipped, tested = compile_lines(release), compile_lines(tmp_path)
    assert len(shipped) > 30
    different = {name: (line, tested.get(name)) for name, line in shipped.items() if tested.get(name) != line}
    assert not different, different


@pytest.mark.parametrize("code, status", [("int f() { return 1; }", 0), ("int f() { int unused; return 1; }", 1), ("int f() { return }", 1)])
def test_a_warning_fails_the_tested_build(tmp_path, code, status):
    source = tmp_path / "file.cpp"
    source.write_text(code)
    done = subprocess.run([ROOT / "cmake/silent_compiler.sh", "c++", "-Wall", "-c", source, "-o", tmp_path / "file.o"], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert bool(done.stderr) == bool(status)


def ninja(folder: Path, rules: str) -> subprocess.CompletedProcess:
    """Runs ninja on these rules behind the demo's line of progress."""
    (folder / "build.ninja").write_text(rules)
    command = f"set -o pipefail; NINJA_STATUS='[%f/%t] ' ninja -j1 -C {folder} 2>&1 | {sys.executable} {ROOT}/scripts/build_progress.py {folder}/log"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True)


def test_finding_f02_a_build_ends_with_a_word_and_keeps_its_log(tmp_path):
    steps = "".join(f"build step{i}: make\n" for i in range(5))
    done = ninja(tmp_path, "rule make\n  command = touch $out\n" + steps)
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("Built in"), done
    assert "[5/5] " in (tmp_path / "log").read_text()


def test_finding_f02_a_failed_build_shows_why(tmp_path):
    done = ninja(tmp_path, "rule make\n  command = echo the reason; exit 3\nbuild it: make\n")
    assert done.returncode != 0 and "the reason" in done.stderr and str(tmp_path / "log") in done.stderr


def test_finding_f02_the_line_has_a_share_and_an_estimate():
    progress = build_progress.Progress(60)
    assert "0 of 60" in progress.line(elapsed=5) and "left" not in progress.line(elapsed=5), "no estimate out of nothing"
    progress.take("[0/2] Re-checking globbed directories...\n")
    assert progress.total == 60
    progress.take("[15/60] Building CXX object a.o\n")
    line = progress.line(elapsed=60)
    assert "25%" in line and "15 of 60" in line and "about 3 min left" in line, line
    progress.take("[60/60] Linking\n")
    assert "100%" in progress.line(elapsed=240) and "left" not in progress.line(elapsed=240)


def test_finding_f02_the_line_moves_on_a_terminal(tmp_path):
    """Seen through a terminal: redrawn while one long step runs."""
    (tmp_path / "feed").write_text("echo '[1/2] first'; sleep 2.5; echo '[2/2] second'")
    shell = f"bash {tmp_path}/feed | {sys.executable} {ROOT}/scripts/build_progress.py {tmp_path}/log"
    done = subprocess.run(["script", "-qec", shell, "/dev/null"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert len(set(re.findall(r"1 of 2 steps, (\d+) s", done.stdout))) >= 2, done.stdout


def test_finding_f06_help_says_what_it_does_and_does_nothing(tmp_path):
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    home = tmp_path / "home"
    done = subprocess.run([tmp_path / "scripts/demo", "--help"], capture_output=True, text=True, env={**os.environ, "HOME": str(home), "TAFFRAIL_CACHE": str(home)})
    assert done.returncode == 0 and done.stdout.startswith("Usage: ./scripts/demo"), done
    for word in ("--exit", "build/release", "Ctrl-C", "TAFFRAIL_DIR"):
        assert word in done.stdout
    assert not (tmp_path / "build").exists() and not home.exists()


def test_finding_f06_an_unknown_argument_is_refused(tmp_path):
    done = subprocess.run([ROOT / "scripts/demo", "--exti"], capture_output=True, text=True)
    assert done.returncode == 2 and "'--exti'" in done.stderr and "Usage:" in done.stderr


def test_finding_f03_the_quick_run_has_a_newcomer_and_no_demo_on_this_machine():
    assert "newcomer" in stages.QUICK and "demo" not in stages.QUICK
    assert "debootstrap" in (ROOT / "scripts/dependencies.sh").read_text()
    assert re.search(r"dependencies\.sh .*\bpackage\b", (ROOT / "scripts/test").read_text()), "scripts/test installs what makes the root"


def test_finding_f03_a_package_taken_out_of_the_list_is_gone_and_one_that_is_not_there_is_an_error():
    listing = (ROOT / "scripts/dependencies.sh").read_text()
    for package in ("libspng-dev", "build-essential", "libeigen3-dev", "nodejs"):
        assert package in subprocess.run(["bash", "-c", listing_only(listing)], capture_output=True, text=True, check=True).stdout.split()
        left = subprocess.run(["bash", "-c", listing_only(newcomer.without_package(listing, package))], capture_output=True, text=True, check=True).stdout.split()
        assert package not in left and "libfmt-dev" in left
    with pytest.raises(ValueError, match="no-such-package"):
        newcomer.without_package(listing, "no-such-package")


def listing_only(listing: str) -> str:
    """dependencies.sh on a machine that has nothing, up to where it would install: prints what it misses."""
    return f"set -- build; dpkg-query() {{ return 1; }}; command() {{ return 1; }}\n{listing.split('((${#missing[@]}))')[0]}\necho ${{missing[*]}}"


def test_finding_f03_the_stage_fails_with_the_step_that_failed(monkeypatch, tmp_path):
    """What a step says is believed: the first that fails ends the stage and is named."""
    class Quick(newcomer.Newcomer):
        def __init__(self, *arguments):
            self.home = self.scratch = self.cache = tmp_path

        def with_packages(self, compiler_cache):
            return tmp_path

        def steps(self):
            return [("the first", "true"), ("the second", "false"), ("the third", "true")]

    tried = []
    monkeypatch.setattr(debian_root, "enter", lambda folder, script, **_: tried.append(script) or (1 if script == "false" else 0))
    monkeypatch.setattr(newcomer, "Newcomer", Quick)
    assert newcomer.failed(ROOT) == ["the second"] and tried == ["true", "false"]


def test_finding_f03_the_compiler_cache_serves_another_folder_and_locale(tmp_path):
    """The newcomer's root has its own; compiling everything anew there would be most of a cold run."""
    for folder, locale in (("one", {"LANG": "C.UTF-8"}), ("other", {"LC_ALL": "C.UTF-8"})):
        place = tmp_path / folder / "scripts"
        place.mkdir(parents=True)
        (place / "environment.sh").write_text((ROOT / "scripts/environment.sh").read_text())
        (tmp_path / folder / "file.cpp").write_text("int f() { return 1; }\n")
        command = f"source scripts/environment.sh && ccache c++ -I{tmp_path / folder} -c {tmp_path / folder}/file.cpp -o file.o"
        settings = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "CCACHE_DIR": str(tmp_path / "cache"), **locale}
        subprocess.run(["bash", "-euc", command], cwd=tmp_path / folder, env=settings, check=True)
    said = subprocess.run(["ccache", "--print-stats"], env={**settings}, capture_output=True, text=True, check=True).stdout
    counts = dict(line.split("\t") for line in said.splitlines())
    assert (counts["cache_miss"], counts["direct_cache_hit"], counts["preprocessed_cache_hit"]) in (("1", "1", "0"), ("1", "0", "1")), said


def test_finding_f03_without_root_the_stage_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    lacking = newcomer.failed(ROOT)
    assert len(lacking) == 1 and "sudo without a password" in lacking[0]


def test_finding_f03_the_stage_fails_when_its_command_does(monkeypatch, tmp_path):
    """And says why, once more below the table."""
    monkeypatch.setattr(stages, "HERE", tmp_path)
    (tmp_path / "newcomer.py").write_text("import sys\nprint('newcomer:', sys.argv[1], 'lacks a package')\nsys.exit(sys.argv[1] == 'steps')\n")
    jobs = {job.name: job for job in stages.newcomer(Context(root=ROOT))}
    with (tmp_path / "log").open("w") as log:
        context = Context(root=ROOT).of_job(log)
        assert jobs["root"].work(context).passed == 1
        counts = jobs["steps"].work(context)
    assert counts.failed == 1 and "steps lacks a package" in counts.failures[0]


def test_finding_f03_what_is_tried_is_what_the_documents_say(tmp_path):
    someone = newcomer.Newcomer.__new__(newcomer.Newcomer)
    someone.root, someone.home = ROOT, tmp_path
    steps = dict(someone.steps())
    assert steps["./scripts/demo --exit"].endswith("&& ./scripts/demo --exit") and "./scripts/demo " in (ROOT / "README.md").read_text()
    assert "taffrail ls" in steps["the first commands of the guide"] and "taffrail show vae-1" in steps["the first commands of the guide"]
    assert "cmake --install build/release" in steps["the library, installed"]
    assert (tmp_path / "mine/ten.cpp").read_text() in (ROOT / "README.md").read_text()
    assert "find_package(taffrail REQUIRED)" in (tmp_path / "mine/CMakeLists.txt").read_text()


@pytest.fixture
def lock():
    return json.loads((ROOT / "web/package-lock.json").read_text())


def test_finding_f02_the_page_is_bundled_without_npm(lock):
    """What the bundle needs and no more: the packages of package.json that only tests use stay away."""
    named = json.loads((ROOT / "web/package.json").read_text())
    chosen = fetch_packages.wanted(lock)
    assert set(named["dependencies"]) | {"esbuild"} <= set(chosen) and not set(named["devDependencies"]) & set(chosen)
    assert len(chosen) < 12, sorted(chosen)
    assert [name for name in chosen if name.startswith("@esbuild/")] == [f"@esbuild/linux-{fetch_packages.CPU}"]
    assert "npm" not in (ROOT / "src/server/CMakeLists.txt").read_text().lower().replace('"npm"', "").replace("auto, npm", "").replace("ui=npm", "")


def test_finding_f02_a_package_with_another_checksum_is_refused(lock, tmp_path, monkeypatch):
    entry = fetch_packages.wanted(lock)["preact"]
    (tmp_path / "registry/preact/-").mkdir(parents=True)
    (tmp_path / f"registry/preact/-/preact-{entry['version']}.tgz").write_bytes(b"something else")
    monkeypatch.setenv("npm_config_registry", (tmp_path / "registry").as_uri())
    with pytest.raises(SystemExit, match="another checksum"):
        fetch_packages.fetch("preact", entry, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
    monkeypatch.setenv("npm_config_registry", (tmp_path / "nowhere").as_uri())
    with pytest.raises(SystemExit, match="npm_config_registry"):
        fetch_packages.fetch("preact", entry, tmp_path / "cache")


def test_finding_f02_packages_are_unpacked_inside_their_folder_alone(tmp_path):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name in ("package/index.js", "package/../../outside.js", "package/deep/er/file.js"):
            member = tarfile.TarInfo(name)
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    fetch_packages.unpack(archive.getvalue(), tmp_path / "a/b")
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir()) == ["a/b/deep/er/file.js", "a/b/index.js"]
