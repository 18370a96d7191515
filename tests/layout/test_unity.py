"""Files of one library or program are compiled together in `release` and `ci`: no two names of their unnamed namespaces are alike.

The compiler says so too, but minutes later and only for files that happen to stand in the same batch.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGET = re.compile(r"(?:taffrail_layer|taffrail_test|add_library|add_executable)\((.*?)\)", re.S)
SCOPE = re.compile(r"namespace ([\w:]+) \{$")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)\b[^;]*$")
VARIABLE = re.compile(r"(?:(?:inline|static|constexpr|constinit|const|thread_local) )+[\w:<>,*& ]*?(\w+)(?:\[\w*\])? ?[={]")
FUNCTION = re.compile(r"[\w:<>,*&\[\] ]+[ *&](?<!::)(\w+)\(([^()]*)")


def targets() -> dict[str, list[Path]]:
    """Each target with its source files, as the CMake files list them."""
    found = {}
    for listing in [path for folder in ("src", "tests", "bench", "examples") for path in (ROOT / folder).rglob("CMakeLists.txt")]:
        for body in TARGET.findall(listing.read_text()):
            words = body.split()
            name = words[words.index("NAME") + 1] if "NAME" in words else words[0]
            files = [listing.parent / word for word in words if word.endswith(".cpp") and "$" not in word]
            found[f"{listing.parent.relative_to(ROOT)}: {name}"] = [path for path in files if path.exists()]
    return {name: files for name, files in found.items() if len(files) > 1}


def unnamed(path: Path) -> set[tuple[str, str]]:
    """(scope, what) of the declarations in the file's unnamed namespaces; functions with the types of their first line of parameters."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', path.read_text(), flags=re.S)
    names, scope, inside = set(), "", False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif opened := SCOPE.match(line):
            scope = opened[1]
        elif inside and line[:1].isalpha() and not line.startswith(("template", "using", "return", "friend")):
            if declared := TYPE.match(line):
                names.add((scope, declared[1]))
            elif declared := FUNCTION.match(line):
                if "::" + declared[1] not in line:
                    parameters = ", ".join(re.sub(r"\s*\b\w+$", "", part.strip()) for part in declared[2].split(","))
                    names.add((scope, f"{declared[1]}({parameters})"))
            elif declared := VARIABLE.match(line):
                names.add((scope, declared[1]))
    return names


def test_the_reader_of_unnamed_namespaces_sees_what_clashes(tmp_path):
    (tmp_path / "a.cpp").write_text("namespace taffrail::x {\nnamespace {\n\nconstexpr int kMost = 4;\n\nstruct Part {\n    int a;\n};\n\nstruct Later;\n\n"
                                    "std::string text_of(const std::string& path) {\n    return path;\n}\n\nint Part::run(int a) {\n}\n\n}  // namespace\n\nint outside() {\n}\n")
    assert unnamed(tmp_path / "a.cpp") == {("taffrail::x", "kMost"), ("taffrail::x", "Part"), ("taffrail::x", "text_of(const std::string&)")}


@pytest.mark.parametrize("target, files", targets().items(), ids=lambda value: value if isinstance(value, str) else "")
def test_no_two_unnamed_names_are_alike(target, files):
    places = {}
    for path in files:
        for name in unnamed(path):
            places.setdefault(name, []).append(path.name)
    alike = {"::".join(name): where for name, where in places.items() if len(where) > 1}
    assert not alike, f"{target}: these clash when the files are compiled together; share or rename them: {alike}"
