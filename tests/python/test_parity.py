"""docs/reference/parity.yaml names the Python twin of every public C++ name, or says why there is none; read from the headers and the package."""

import importlib
import re
from pathlib import Path

import pytest
import taffrail

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include/taffrail").glob("*.h"))
TYPE = re.compile(r"^(?:class|struct|enum class)(?: TAFFRAIL_API)? (\w+)\b(?!\s*;)|^using (\w+) =", re.M)
FUNCTION = re.compile(r"^(?:TAFFRAIL_API|inline) (?:\[\[nodiscard\]\] )?(?!constexpr)[\w:<>,&* ]*?[ &*>](\w+)\(", re.M)
METHOD = re.compile(r"^    (?!return|using|friend|explicit|template|//)(?:\[\[nodiscard\]\] )?(?:virtual |static |constexpr )*[\w:<>,&*() ]*?[ &*>](\w+)\(", re.M)


def without_inside(text: str) -> str:
    """Without namespaces that are nobody's but the library's."""
    text = re.sub(r"^namespace detail \{.*?^\}  // namespace detail$", "", text, flags=re.M | re.S)
    return re.sub(r"^struct \w+Inside;.*$", "", text, flags=re.M)


def names_of(header: Path) -> set[str]:
    """Types, aliases and functions that a header declares; what it only names before is no name of it."""
    text = without_inside(header.read_text())
    return {name for pair in TYPE.findall(text) for name in pair if name} | set(FUNCTION.findall(text)) - {"to_string"}


def methods_of(name: str) -> set[str]:
    """Public methods of a class, without constructors and operators."""
    text = next(found[1] for header in HEADERS if (found := re.search(rf"^(?:class|struct)(?: TAFFRAIL_API)? {name}\b[^;{{]*\{{\n(.*?)^\}};", header.read_text(), re.M | re.S)))
    public = re.split(r"^  (?:private|protected):$", text, flags=re.M)[0]
    return set(METHOD.findall(public)) - {name, "requires", "operator", "override", "const", "noexcept"}


def parity() -> dict:
    return taffrail.compose(str(ROOT / "docs/reference/parity.yaml")).config


def found(dotted: str) -> bool:
    """Whether a name such as taffrail.Run.log or taffrail.torch.watch is there."""
    parts = dotted.split(".")
    owner, rest = importlib.import_module(parts[0]), parts[1:]
    while rest:
        if not hasattr(owner, rest[0]) and isinstance(owner, type(importlib)):
            try:
                importlib.import_module(f"{owner.__name__}.{rest[0]}")
            except ImportError:
                return False
        if not hasattr(owner, rest[0]):
            return False
        owner, rest = getattr(owner, rest[0]), rest[1:]
    return True


@pytest.mark.parametrize("header", HEADERS, ids=[header.name for header in HEADERS])
def test_every_name_of_a_header_has_a_twin_or_a_reason(header):
    said = parity()["headers"].get(header.stem)
    names = names_of(header)
    if isinstance(said, str):
        assert said.startswith("none: ") and len(said) > 30, f"{header.name}: {said}"
        return
    assert set(said or {}) == names, f"docs/reference/parity.yaml, {header.stem}: lacks {names - set(said or {})}, has {set(said or {}) - names} too many"
    for name, twin in (said or {}).items():
        assert twin.startswith("none: ") and len(twin) > 20 or found(twin), f"{header.stem}: {name} has no twin '{twin}'"


def test_every_method_of_the_shared_classes_has_a_twin_or_a_reason():
    for name, said in parity()["methods"].items():
        methods = methods_of(name)
        assert methods, name
        assert set(said) == methods, f"docs/reference/parity.yaml, {name}: lacks {methods - set(said)}, has {set(said) - methods} too many"
        for method, twin in said.items():
            assert twin.startswith("none: ") and len(twin) > 20 or found(twin), f"{name}.{method} has no twin '{twin}'"


def test_headers_that_are_gone_are_not_listed():
    assert set(parity()["headers"]) == {header.stem for header in HEADERS}


def test_the_stubs_know_what_the_module_has():
    """The types that editors show are those of the module: generated, and complete."""
    stub = (Path(taffrail.__file__).parent / "_core.pyi").read_text()
    from taffrail import _core

    lacking = [name for name in dir(_core) if not name.startswith("_") and not re.search(rf"\b{name}\b", stub)]
    assert not lacking, lacking
