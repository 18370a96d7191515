"""The page's house: formatted, linted, without cycles, each folder on its own floor."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "web" / "src"
# A folder uses itself and those before it; `api`, `lib` and `viz` stand side by side and know nothing of what is on show. `standalone` is the page of an export, without state.
FLOORS = [{"api", "lib", "viz"}, {"state", "standalone"}, {"ui"}, {"pages"}, {""}]
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?from\s+"(\.[^"]*)"|^import\s+"(\.[^"]*)"|\bimport\("(\.[^"]*)"\)', re.M)


@pytest.fixture(scope="module")
def tool():
    """Runs a program of web/node_modules from the root; installs what package-lock.json names first."""
    subprocess.run([ROOT / "web/tools/install_packages.sh"], check=True)

    def run(name: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess:
        return subprocess.run([ROOT / "web/node_modules/.bin" / name, *arguments], cwd=ROOT, input=given, capture_output=True, text=True)

    return run


def test_two_builds_at_once_install_once(tmp_path):
    """Presets are built beside each other and share web/node_modules: the second waits for the first and finds its work done."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "web/tools/install_packages.sh", tmp_path / "tools")
    (tmp_path / "package-lock.json").write_text("{}")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    # Replaces the folder as npm does, and takes its time; two of it at once find each other's folder.
    npm.write_text("#!/bin/sh\nset -e\necho began >> calls\nrm -rf node_modules\nmkdir node_modules\nsleep 1\nrmdir node_modules\nmkdir node_modules\n")
    npm.chmod(0o755)
    environment = {**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}"}
    running = [subprocess.Popen([tmp_path / "tools/install_packages.sh"], env=environment) for _ in range(3)]
    assert [one.wait(60) for one in running] == [0, 0, 0]
    assert (tmp_path / "calls").read_text() == "began\n"


def test_prettier_changes_nothing(tool):
    done = tool("prettier", "--check", "--log-level=warn", "web", "tests/e2e")
    assert done.returncode == 0, "run npm run format in web/:\n" + done.stderr


def test_eslint_finds_nothing(tool):
    done = tool("eslint", "-c", "web/eslint.config.mjs", "--max-warnings=0", "web", "tests/e2e")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", ["web/src/viz/some.ts", "web/src/ui/some.tsx", "web/tests/some.test.ts", "web/tools/some.mjs", "tests/e2e/generator/some.mjs"])
def test_eslint_and_prettier_see_what_is_wrong(tool, path):
    """A file that is neither formatted nor clean: neither of the two leaves it out."""
    text = "export const f = (a) => { var b = a == 1 ; return b }\n"
    assert tool("prettier", "--stdin-filepath", path, given=text).stdout not in ("", text)
    said = tool("eslint", "-c", "web/eslint.config.mjs", "--stdin", "--stdin-filename", path, given=text).stdout
    assert "no-var" in said and "eqeqeq" in said, said


def imports(folder: Path) -> dict[Path, list[Path]]:
    """Every file of the page with the files it names, types included."""
    found = {}
    for path in sorted([*folder.rglob("*.ts"), *folder.rglob("*.tsx")]):
        named = [next(filter(None, match)) for match in IMPORT.findall(path.read_text())]
        places = [(path.parent / name).resolve() for name in named]
        found[path] = [file for place in places for end in (".ts", ".tsx") if (file := place.with_name(place.name + end)).exists()]
    return found


def cycle(graph: dict[Path, list[Path]]) -> list[Path]:
    """Files that lead back to the first of them; empty when there are none."""
    state: dict[Path, int] = {}
    way: list[Path] = []

    def walk(file: Path) -> list[Path]:
        state[file] = 1
        way.append(file)
        for other in graph[file]:
            if state.get(other) == 1:
                return [*way[way.index(other):], other]
            if other not in state and (found := walk(other)):
                return found
        state[file] = 2
        way.pop()
        return []

    for file in graph:
        if file not in state and (found := walk(file)):
            return found
    return []


def test_no_file_of_the_page_leads_back_to_itself():
    graph = imports(SOURCES)
    assert len(graph) > 100 and sum(map(len, graph.values())) > 400, "the imports are found"
    assert not cycle(graph), " -> ".join(str(path.relative_to(SOURCES)) for path in cycle(graph))


@pytest.mark.parametrize("line", ['import { a } from "./one";', 'import type { A } from "./one";', 'export { a } from "./one";', 'const a = () => import("./one");',
                                  'import {\n  a,\n} from "./one";', 'import "./one";'])
def test_a_cycle_is_found_however_it_is_written(tmp_path, line):
    (tmp_path / "one.ts").write_text('import { b } from "./two";\n')
    (tmp_path / "two.tsx").write_text('import { c } from "./three";\n')
    (tmp_path / "three.ts").write_text(line + "\n")
    assert [path.stem for path in cycle(imports(tmp_path))] == ["one", "two", "three", "one"]


def test_folders_of_the_page_use_those_below_them():
    def floor(path: Path) -> int:
        parts = path.relative_to(SOURCES).parts
        return next(level for level, folders in enumerate(FLOORS) if (parts[0] if len(parts) > 1 else "") in folders)

    wrong = [f"{path.relative_to(SOURCES)} uses {other.relative_to(SOURCES)}" for path, others in imports(SOURCES).items() for other in others if floor(other) > floor(path)]
    assert not wrong, "\n".join(wrong)


def test_pages_are_listed_once():
    names = re.findall(r'\{ page: "(\w+)", key: "[^"]*", title: "', (SOURCES / "state/pages.ts").read_text())
    assert len(names) > 8
    lists = [str(path.relative_to(SOURCES)) for path in [*SOURCES.rglob("*.ts"), *SOURCES.rglob("*.tsx")]
             if sum(f'"{name}"' in path.read_text() for name in names) >= len(names) - 2]
    assert lists == ["state/pages.ts"]
