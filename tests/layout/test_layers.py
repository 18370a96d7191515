"""The layer tables of docs/design/layers.md hold: in CMake, in every #include (public headers too), in every symbol, and for files opened outside io/."""

import graphlib
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"


def table_rows(heading_cells):
    """Rows of the Markdown table whose header starts with these cells."""
    rows, inside = [], False
    for line in (ROOT / "docs/design/layers.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            inside = False
        elif cells[: len(heading_cells)] == heading_cells:
            inside = True
        elif inside and not set(line) <= set("|- "):
            rows.append(cells)
    return rows


HEADER_LAYER = {header: layer for layer, headers in table_rows(["layer", "headers"]) for header in headers.split()}
PUBLIC = ROOT / "include/taffrail"
ROWS = {name: uses.split() for name, _, uses in table_rows(["layer", "folder"])}
ALLOWED = {name: set(uses.split()) | {"base"} for name, _, uses in table_rows(["layer", "folder"])}
FOLDER = {name: ROOT / folder for name, folder, _ in table_rows(["layer", "folder"])}
THIRD_PARTY = [(header.strip(), [ROOT / place.strip() for place in places.split(",")])
               for headers, places in table_rows(["header"]) for header in headers.split(",")]


def declared_layers():
    """name -> (folder, USES) as the CMake files say."""
    layers = {}
    for path in SRC.rglob("CMakeLists.txt"):
        for body in re.findall(r"taffrail_layer\((.*?)\)", path.read_text(), re.S):
            words = body.split()
            uses, current = [], None
            for word in words:
                if word in ("NAME", "SOURCES", "USES", "LIBRARIES"):
                    current = word
                elif current == "USES" and "$" not in word:
                    uses.append(word)
            # Layers that may be switched off are collected in a list named `uses` first, those of the list of parts in `layers`.
            for added in re.findall(r"(?:set\((?:uses|layers)|list\(APPEND uses) ([^)]*)\)", path.read_text()):
                uses += [word for word in added.split() if "$" not in word]
            layers[words[words.index("NAME") + 1]] = (path.parent, uses)
    return layers


LAYERS = declared_layers()


def expand_stars():
    """A row with a star is for the layers of that name that have none of their own."""
    for star in [name for name in ALLOWED if "*" in name]:
        uses, folder = ALLOWED.pop(star), FOLDER.pop(star)
        for name in LAYERS:
            if fnmatch(name, star) and name not in ALLOWED:
                ALLOWED[name] = set(uses)
                FOLDER[name] = folder.parent / name.removeprefix(star.removesuffix("*"))
    for name, uses in ALLOWED.items():
        ALLOWED[name] = {layer for use in uses for layer in ([use] if "*" not in use else [known for known in LAYERS if fnmatch(known, use)])}


expand_stars()


def layer_of(path: Path):
    """The layer whose folder encloses the file most closely."""
    best = None
    for name, (folder, _) in LAYERS.items():
        if path.is_relative_to(folder) and (best is None or folder.is_relative_to(LAYERS[best][0])):
            best = name
    return best


def sources():
    return [path for pattern in ("*.h", "*.cpp") for path in SRC.rglob(pattern)]


def included_layers():
    """layer -> the other layers that its files, public headers among them, include something of."""
    found = {name: set() for name in LAYERS}
    owned = [(path, layer_of(path)) for path in sources()] + [(PUBLIC / f"{header}.h", layer) for header, layer in HEADER_LAYER.items()]
    for path, own in owned:
        if own is None:
            continue
        text = path.read_text()
        found[own] |= {HEADER_LAYER.get(header) for header in re.findall(r'^#include [<"]taffrail/(\w+)\.h[>"]', text, re.M)}
        found[own] |= {layer_of(SRC / included) for included in re.findall(r'^#include "([^"]+)"', text, re.M) if (SRC / included).exists()}
    return found


def code_of(path: Path) -> str:
    """The text without comments and string literals."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', path.read_text())
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def edges_nobody_uses(rows, used):
    """What rows of the table allow and no file of their layers includes, nor their CMake file links. A use with a star is that of the list of parts, a row
    with one that no layer needs is for those to come."""
    wrong = []
    for row, uses in rows.items():
        layers = [row] if "*" not in row else [name for name in used if fnmatch(name, row) and name not in rows]
        wrong += [f"{row} may use {use} and does not" for use in uses if "*" not in use and layers and not any(use in used[layer] for layer in layers)]
    return wrong


def test_the_table_allows_nothing_that_nobody_uses():
    included = included_layers()
    wrong = edges_nobody_uses(ROWS, {name: included[name] | set(uses) for name, (_, uses) in LAYERS.items()})
    assert not wrong, "\n".join(wrong)


def test_of_the_test_an_edge_that_nobody_uses_is_found():
    rows = {"a": ["base"], "b": ["a", "base"], "c_*": ["a", "b"], "d": ["c_*"]}
    used = {"a": {"base"}, "b": {"base"}, "c_one": {"a"}, "c_two": {"b"}, "d": set()}
    assert edges_nobody_uses(rows | {"e_*": ["a"]}, used) == ["b may use a and does not"]
    assert edges_nobody_uses(rows, used | {"b": {"a", "base"}, "c_two": set()}) == ["c_* may use b and does not"]


def test_no_layer_stands_on_itself():
    graphlib.TopologicalSorter({name: uses - {"base"} for name, uses in ALLOWED.items()}).prepare()  # names the way round where there is one


def test_there_are_layers_to_check():
    assert len(LAYERS) >= 1 and len(sources()) >= 10


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_cmake_links_only_what_the_table_allows(name):
    folder, uses = LAYERS[name]
    assert name in ALLOWED, f"layer {name} has no row in docs/design/layers.md"
    assert folder == FOLDER[name], f"layer {name} lives in {folder}, the table says {FOLDER[name]}"
    assert set(uses) <= ALLOWED[name], f"{name} links {sorted(set(uses) - ALLOWED[name])}; the table does not allow that"


def test_includes_stay_inside_the_table():
    wrong = []
    for path in sources():
        own = layer_of(path)
        if own is None:
            continue  # programs (cli, helper binaries) may use every layer
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            target = SRC / included
            if not target.exists():
                target = path.parent / included
            other = layer_of(target)
            if other and other != own and other not in ALLOWED[own]:
                wrong.append(f"{path.relative_to(ROOT)} includes {included} of layer {other}")
    assert not wrong, "\n".join(wrong)


def public_header_mistakes(path: Path, text: str, own: str, allowed=None, layer_of_header=None):
    """What is wrong with the public headers that a file of layer `own` includes."""
    allowed, layer_of_header = allowed or ALLOWED, layer_of_header or HEADER_LAYER
    wrong = []
    for header in re.findall(r'^#include [<"]taffrail/(\w+)\.h[>"]', text, re.M):
        other = layer_of_header.get(header)
        if header == "taffrail":
            wrong.append(f"{path} includes taffrail.h, which is everything")
        elif other is None:
            wrong.append(f"{path} includes taffrail/{header}.h, which has no row in docs/design/layers.md")
        elif other != own and other not in allowed[own]:
            wrong.append(f"{path} of layer {own} includes taffrail/{header}.h of layer {other}")
    return wrong


def test_every_public_header_has_a_layer():
    assert {path.stem for path in PUBLIC.glob("*.h")} - {"taffrail"} == set(HEADER_LAYER)
    assert set(HEADER_LAYER.values()) <= set(ALLOWED)


def test_every_public_header_stands_in_the_reference():
    named = set(re.findall(r"`(\w+)\.h`", (ROOT / "docs/reference/cpp.md").read_text()))
    assert {path.stem for path in PUBLIC.glob("*.h")} - named <= {"taffrail", "api"}, "a header has no row in docs/reference/cpp.md"  # everything, and a macro for the library itself


def test_public_headers_are_included_downwards_only():
    wrong = []
    for path in sources():
        if own := layer_of(path):
            wrong += public_header_mistakes(path.relative_to(ROOT), path.read_text(), own)
    for path in PUBLIC.glob("*.h"):
        if path.stem != "taffrail":
            wrong += public_header_mistakes(path.relative_to(ROOT), path.read_text(), HEADER_LAYER[path.stem])
    assert not wrong, "\n".join(wrong)


def test_of_the_test_an_upward_include_of_a_public_header_is_found():
    for own, header in (("codec", "run"), ("record", "run"), ("model", "trainer"), ("pipeline", "trainer"), ("base", "reader"), ("run", "taffrail"), ("run", "no_such")):
        assert public_header_mistakes(Path("x.cpp"), f"#include <taffrail/{header}.h>\n", own), (own, header)
    assert not public_header_mistakes(Path("x.cpp"), "#include <taffrail/run.h>\n#include <taffrail/value.h>\n", "pipeline")


def weak_symbols(text: str):
    return re.findall(r"gnu::weak|__attribute__\s*\(\s*\(\s*(?:__)?weak|#pragma\s+weak|\bselectany\b|weak_import", text)


def test_no_symbol_is_weak():
    wrong = [str(path.relative_to(ROOT)) for path in sources() + list(PUBLIC.glob("*.h")) if weak_symbols(path.read_text())]
    assert not wrong, f"a weak symbol is a dependency nobody sees: {wrong}"


def test_of_the_test_a_weak_symbol_is_found():
    assert weak_symbols("[[gnu::weak]] void f();") and weak_symbols("void f() __attribute__((weak));") and weak_symbols("#pragma weak f")
    assert not weak_symbols("std::weak_ptr<int> weak; // weak reference")


# Their words are used everywhere and stand in the namespace of the product itself, as public words do.
WORDS_OF_ALL = {"base", "codec", "config"}


def namespace_mistakes(path: Path, text: str, own: str):
    """Namespaces of a file below src that are not the folders it lies in. What a public header names may be defined here, in its own namespace."""
    folders = path.parent.parts
    public = "\n".join(header.read_text() for header in PUBLIC.glob("*.h"))
    wrong = []
    for name, body in re.findall(r"^namespace taffrail((?:::\w+)*) \{(.*?)(?=^namespace |\Z)", text, re.M | re.S):
        words = [word for word in name.split("::") if word]
        types = re.findall(r"^(?:struct|class) (?:alignas\(\w+\) )?(\w+)[^;]*\{$", body, re.M)
        if own in WORDS_OF_ALL and len(words) < 2:
            continue
        if words in ([], ["detail"]) and (path.suffix == ".cpp" or "{" not in body or types and all(re.search(rf"\b{one};", public) for one in types)):
            continue
        places = [folders.index(word) if word in folders else -1 for word in words]
        if not words or -1 in places or places != sorted(places):
            wrong.append(f"{path}: namespace taffrail{name}")
    return wrong


def test_namespaces_are_folders():
    wrong, owners = [], {}
    for path in sources():
        own = layer_of(path) or path.relative_to(SRC).parts[0]
        wrong += namespace_mistakes(path.relative_to(SRC), path.read_text(), own)
        for name in re.findall(r"^namespace (taffrail::[\w:]+) \{", path.read_text(), re.M):
            owners.setdefault(name.removesuffix("::detail"), set()).add(own)
    assert not wrong, "\n".join(wrong)
    shared = {name: layers for name, layers in owners.items() if len(layers) > 1 and name != "taffrail"}
    assert not shared, f"one namespace, one layer: {shared}"


def test_of_the_test_a_namespace_that_is_no_folder_is_found():
    assert namespace_mistakes(Path("store/a.h"), "namespace taffrail::storage {\n", "store")
    assert namespace_mistakes(Path("store/a.h"), "namespace taffrail {\nstruct Hidden {\n", "store")
    assert namespace_mistakes(Path("codec/formats/x/a.h"), "namespace taffrail::x::formats {\n", "formats_x")
    assert not namespace_mistakes(Path("codec/formats/x/a.h"), "namespace taffrail::formats::x {\n", "formats_x")
    assert not namespace_mistakes(Path("run/run.cpp"), "namespace taffrail {\n", "run")


def test_every_row_of_the_table_is_a_layer():
    assert set(ALLOWED) == set(LAYERS)


def test_third_party_headers_stay_in_their_folder():
    wrong = []
    for path in sources() + list((ROOT / "include").rglob("*.h")):
        for included in re.findall(r"^#include <([^>]+)>", path.read_text(), re.M):
            for prefix, places in THIRD_PARTY:
                if included.startswith(prefix) and not any(path.is_relative_to(place) for place in places):
                    wrong.append(f"{path.relative_to(ROOT)} includes <{included}>")
    assert not wrong, "\n".join(wrong)


def test_public_headers_show_only_the_standard_library():
    wrong = []
    for path in (ROOT / "include").rglob("*.h"):
        for included in re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(), re.M):
            if "/" in included and not included.startswith("taffrail/") or included.endswith(".hpp"):
                wrong.append(f"{path.relative_to(ROOT)} includes {included}")
    assert not wrong, "\n".join(wrong)


def test_files_are_opened_in_io_only():
    wrong = []
    for path in sources():
        if path.is_relative_to(SRC / "io") or path.is_relative_to(SRC / "video_module"):
            continue
        for number, line in enumerate(code_of(path).splitlines(), 1):
            if re.search(r"(?<!\w)::(?:open|openat|fopen|creat)\s*\(|(?<![\w.>:])f?open(?:at)?\s*\([^)]*O_|std::[io]?fstream\b|(?<![\w.>:])fopen\s*\(", line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


def test_no_regex_header():
    wrong = [str(path.relative_to(ROOT)) for path in sources() if "#include <regex>" in path.read_text()]
    assert not wrong, f"<regex> costs 5 s a file: {wrong}"


def test_no_file_is_a_warehouse():
    large = []
    for pattern in ("src/**/*.cpp", "src/**/*.h", "include/**/*.h", "tests/**/*.cpp", "tests/**/*.py", "scripts/**/*.py", "web/src/**/*.ts", "web/src/**/*.tsx", "web/tests/*.ts", "tests/e2e/**/*.mjs"):
        for path in ROOT.glob(pattern):
            text = path.read_text()
            lines = text.count("\n")
            if lines > 800 and "Do not edit by hand" not in text[:300]:
                large.append(f"{path.relative_to(ROOT)}: {lines} lines")
    assert not large, "past 800 lines a second idea has moved in:\n" + "\n".join(large)
