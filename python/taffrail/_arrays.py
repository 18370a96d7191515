"""Objects of other libraries as arrays, numbers and names: found by what they can do, so that none of them is imported here."""

from __future__ import annotations

import sys
from _collections_abc import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from taffrail._run import Run

LONGEST_LIST = 64  # of hyperparameters; longer ones are kept as text


def is_number_type(kind: type) -> bool:
    """NumPy's scalars: numbers that are neither float nor int."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, (numpy.number, numpy.bool_)) and not issubclass(kind, numpy.complexfloating)


def place(key: object, step: Any) -> tuple[str, int | None]:
    """Where a value is logged; says what is wrong with a key or a step."""
    if not isinstance(key, str):
        raise TypeError(f"keys of logged values are texts, not {key!r}")
    if step is None:
        return key, None
    try:
        return key, step.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"step must be a whole number or None, not {step!r}") from None


def package_of(value: object) -> str:
    """The package that a value is of, or that it is: `matplotlib.pyplot` stands for its figure."""
    name = value.__name__ if isinstance(value, type(sys)) else type(value).__module__
    return name.split(".")[0]


def is_frame(value: object) -> bool:
    """A DataFrame of pandas or Polars."""
    return package_of(value) in ("pandas", "polars") and hasattr(value, "columns") and (hasattr(value, "itertuples") or hasattr(value, "iter_rows"))


def array(value: object) -> object:
    """Something the module reads without a copy where it can: an array on the CPU, or nested lists."""
    if isinstance(value, (list, tuple)) and any(hasattr(part, "__array_interface__") or hasattr(part, "__dlpack__") for part in value):
        return stacked([array(part) for part in value])
    detach = getattr(value, "detach", None)  # torch
    if detach is not None:
        value = detach()
        if getattr(getattr(value, "device", None), "type", "cpu") != "cpu":
            value = value.cpu()  # type: ignore[attr-defined]
        if getattr(value, "is_conj", bool)() or getattr(value, "is_neg", bool)():
            value = value.resolve_conj().resolve_neg()  # type: ignore[attr-defined]
        return value
    if type(value).__module__.split(".")[0] == "cupy":
        return value.get()  # type: ignore[attr-defined]
    if type(value).__module__.startswith("tensorflow"):
        return value.numpy()  # type: ignore[attr-defined]
    if type(value).__module__.startswith("jax") and getattr(getattr(value, "dtype", None), "name", "") == "bfloat16":
        return value.astype("float32")  # type: ignore[attr-defined]
    if hasattr(value, "to_numpy"):  # pandas and Polars
        value = value.to_numpy()
    if not hasattr(value, "__dlpack__") and hasattr(value, "__array__") and "numpy" in sys.modules:
        value = sys.modules["numpy"].asarray(value)
    dtype = getattr(getattr(value, "dtype", None), "name", "")
    if isinstance(dtype, str) and (dtype.startswith("bfloat16") or dtype.startswith("float8")) and type(value).__module__ == "numpy":
        return value.astype("float32")  # type: ignore[attr-defined]
    return value


def stacked(parts: list[object]) -> object:
    import numpy

    return numpy.stack([numpy.asarray(part) for part in parts])


def numpy_array(value: object) -> Any:
    """The same as a NumPy array; NumPy must be there."""
    import numpy

    value = array(value)
    if hasattr(value, "__dlpack__") and not isinstance(value, numpy.ndarray):
        try:
            return numpy.from_dlpack(value)  # type: ignore[arg-type]
        except (BufferError, TypeError, RuntimeError):
            return numpy.asarray(value.float())  # type: ignore[attr-defined]
    return numpy.asarray(value)


def typed(value: object, code: str) -> object:
    """A contiguous array of one type: 'f', 'd', 'I' or 'B'."""
    if isinstance(value, (list, tuple)) and not any(hasattr(part, "__array_interface__") or hasattr(part, "__dlpack__") for part in value):
        import array as arrays

        flat: list[Any] = []
        _flatten_into(value, flat)
        return arrays.array(code, [int(number) for number in flat] if code in "IB" else flat)
    import numpy

    return numpy.ascontiguousarray(numpy_array(value), dtype={"f": "f4", "d": "f8", "I": "u4", "B": "u1"}[code])


def _flatten_into(value: Any, out: list[Any]) -> None:
    if isinstance(value, (list, tuple)):
        for part in value:
            _flatten_into(part, out)
    else:
        out.append(value)


def log_foreign(run: Run, key: str, value: object, step: int | None) -> None:
    """A value of another library in run.log(): a number in an array, a picture, a figure, or something that must be wrapped."""
    module = package_of(value)
    if is_frame(value):
        run.log_table(key, value, step)
        return
    elements = _elements(value)
    if elements == 1:
        if not hasattr(value, "item") and hasattr(value, "numpy"):  # TensorFlow
            value = value.numpy()
        run.log(key, _number(key, value.item() if hasattr(value, "item") else value), step)
        return
    if module == "PIL":
        from taffrail.media import Image

        Image(value)._log_to(run, key, step)
    elif module in ("matplotlib", "plotly"):
        from taffrail.media import Figure

        Figure(value)._log_to(run, key, step)
    elif isinstance(value, (list, tuple)) and value and all(hasattr(part, "_log_to") for part in value):
        type(value[0])._log_all(run, key, list(value), step)
    elif elements is None and hasattr(value, "__float__"):
        run.log(key, _number(key, value), step)
    else:
        what = f"an array of {elements} elements" if elements is not None else f"a {type(value).__name__}"
        raise TypeError(f"'{key}' is {what}: say how it is meant, as in taffrail.Histogram(value), taffrail.Image(value) or run.log_tensor()")


def _number(key: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"'{key}' is no number that can be logged, but a {type(value).__name__}: {value!r}") from None


def datum(value: Any) -> Any:
    """What a Logger is handed, for the module: a number, a text, or a tuple that begins with its kind."""
    if isinstance(value, (bool, int, float)) or is_number_type(type(value)):
        return float(value)
    if isinstance(value, str):
        return value
    of_itself = getattr(value, "_datum", None)
    if of_itself is not None:
        return of_itself()
    if isinstance(value, Mapping):
        return "map", [(name, float(part)) for name, part in flatten(value)]  # type: ignore[arg-type]
    module = package_of(value)
    if module in ("PIL", "matplotlib"):
        from taffrail.media import Image

        return Image(value)._datum()
    if module in ("trimesh", "open3d"):
        from taffrail.media import Mesh

        return Mesh(value)._datum()
    if _elements(value) == 1 and hasattr(value, "item") and not getattr(value, "shape", ()):
        return float(value.item())
    return "tensor", array(value)


def _elements(value: object) -> int | None:
    size = getattr(value, "numel", None)
    if callable(size):
        return int(size())
    shape = getattr(value, "shape", None)
    if shape is None:
        return None
    count = 1
    try:
        for extent in shape:
            count *= int(extent)
    except TypeError:
        return None
    return count


def as_dict(value: object) -> dict[str, Any]:
    """The names and values of a dict, a dataclass, a Namespace, or pairs."""
    if isinstance(value, Mapping):
        return {str(name): part for name, part in value.items()}
    if _is_dataclass(value):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]
    if isinstance(value, Iterable) and not isinstance(value, str):
        return {str(name): part for name, part in value}
    if hasattr(value, "__dict__"):
        return {name: part for name, part in vars(value).items() if not name.startswith("_")}
    raise TypeError(f"names with values are wanted (a dict, a Namespace, a dataclass), not {type(value).__name__}")


def _is_dataclass(value: object) -> bool:
    """Without the module dataclasses, which alone would double the time of the import."""
    return hasattr(type(value), "__dataclass_fields__")


def flatten(value: object, name: str = "") -> list[tuple[str, object]]:
    """Pairs of a name and a plain value; nested names are joined by `/`, elements of short lists are numbered."""
    if isinstance(value, Mapping) or _is_dataclass(value):
        parts = as_dict(value)
        if not parts and name:
            return [(name, "{}")]
        return [pair for inner, part in parts.items() for pair in flatten(part, f"{name}/{inner}" if name else inner)]
    if isinstance(value, (list, tuple)):
        if not value or len(value) > LONGEST_LIST:
            return [(name, repr(value))]
        return [pair for number, part in enumerate(value) for pair in flatten(part, f"{name}/{number}" if name else str(number))]
    if hasattr(value, "item") and _elements(value) == 1:
        return [(name, value.item())]
    return [(name, value)]
