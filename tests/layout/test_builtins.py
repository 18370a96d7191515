"""What stands in src/ is in the list of parts, and the other way round; what is in the list registers itself."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"


def listed(src: Path):
    """kind -> names, of parts.cmake."""
    text = re.sub(r"#[^\n]*", "", (src / "builtins/parts.cmake").read_text())
    return {kind.lower(): names.split() for kind, names in re.findall(r"set\(TAFFRAIL_(\w+) ([^)]*)\)", text)}


def present(src: Path):
    """kind -> {name: file that must register it}."""
    parts = {}
    for kind in ("sinks", "sources"):
        parts[kind] = {folder.name: folder / "register.cpp" for folder in (src / kind).iterdir() if folder.is_dir()}
    for kind in ("routines", "profilers"):
        parts[kind] = {path.stem: path for path in (src / kind).glob("*.cpp")}
    parts["commands"] = {path.stem.removeprefix("command_"): path for path in (src / "cli").glob("command_*.cpp")}
    return parts


DEFINES = {
    "sinks": r"namespace taffrail::sinks::{0} \{{.*\bvoid register_part\(\) \{{",
    "sources": r"namespace taffrail::sources::{0} \{{.*\bvoid register_part\(\) \{{",
    "routines": r"namespace taffrail::routines \{{.*\bvoid register_{0}\(\) \{{",
    "profilers": r"namespace taffrail::profilers \{{.*\bvoid register_{0}\(\) \{{",
    "commands": r"namespace taffrail::cli \{{.*std::unique_ptr<Command> make_{0}\(\) \{{",
}


def mistakes(src: Path):
    wrong, names = [], listed(src)
    for kind, files in present(src).items():
        for name in sorted(set(files) - set(names.get(kind, []))):
            wrong.append(f"{files[name].relative_to(src)} is not in builtins/parts.cmake: nobody would find {kind} {name}")
        for name in names.get(kind, []):
            if name not in files:
                wrong.append(f"builtins/parts.cmake lists {kind} {name}, which is not there")
            elif not files[name].exists() or not re.search(DEFINES[kind].format(name), files[name].read_text(), re.S):
                wrong.append(f"{files[name].relative_to(src)} does not register {kind} {name}")
    return wrong


def test_every_part_is_listed_and_registers_itself():
    assert set(listed(SRC)) == set(present(SRC))
    assert not mistakes(SRC), "\n".join(mistakes(SRC))


def test_no_ladder_of_conditions_in_the_lists():
    for layer in ("builtins", "open", "run", "cli"):
        for path in (SRC / layer).rglob("*"):
            if path.suffix in (".cpp", ".h", ".in"):
                assert not re.search(r"^#\s*if.*TAFFRAIL_", path.read_text(), re.M), path


def make_tree(src: Path):
    files = {
        "builtins/parts.cmake": "set(TAFFRAIL_SINKS one)\nset(TAFFRAIL_SOURCES two)\nset(TAFFRAIL_ROUTINES three)\nset(TAFFRAIL_PROFILERS four)\nset(TAFFRAIL_COMMANDS five)\n",
        "sinks/one/register.cpp": "namespace taffrail::sinks::one {\nvoid register_part() {}\n}\n",
        "sources/two/register.cpp": "namespace taffrail::sources::two {\nvoid register_part() {}\n}\n",
        "routines/three.cpp": "namespace taffrail::routines {\nvoid register_three() {}\n}\n",
        "profilers/four.cpp": "namespace taffrail::profilers {\nvoid register_four() {}\n}\n",
        "cli/command_five.cpp": "namespace taffrail::cli {\nstd::unique_ptr<Command> make_five() {}\n}\n",
    }
    for name, text in files.items():
        (src / name).parent.mkdir(parents=True, exist_ok=True)
        (src / name).write_text(text)


def test_of_the_test_what_is_built_and_not_listed_is_found(tmp_path):
    make_tree(tmp_path)
    assert not mistakes(tmp_path)
    for name in ("sinks/extra/register.cpp", "sources/extra/register.cpp", "routines/extra.cpp", "profilers/extra.cpp", "cli/command_extra.cpp"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        assert any("extra" in wrong for wrong in mistakes(tmp_path)), name
        path.unlink()
        if path.parent.name == "extra":
            path.parent.rmdir()
    assert not mistakes(tmp_path)


def test_of_the_test_what_is_listed_and_not_registered_is_found(tmp_path):
    for name in ("sinks/one/register.cpp", "sources/two/register.cpp", "routines/three.cpp", "profilers/four.cpp", "cli/command_five.cpp"):
        make_tree(tmp_path)
        (tmp_path / name).write_text("namespace taffrail {}\n")
        assert len(mistakes(tmp_path)) == 1, name
