"""Value and batch forms of run scripts, as Lightning sees them."""
import torch

DTYPES = {name: getattr(torch, name) for name in
          ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "bool")}


def plain(value):
    """A number, or one of the three texts that stand for a number."""
    if isinstance(value, str):
        return float(value)
    return value


def evaluate(form, position):
    """The value of a form at (epoch, batch, loader, rank); what log() is given."""
    if not isinstance(form, dict):
        return plain(form)
    if "raw" in form:
        return form["raw"]
    if "vector" in form:
        return torch.tensor([float(plain(item)) for item in form["vector"]])
    if "table" in form:
        value = form["table"]
        for axis in form["by"]:
            value = value[position[axis] % len(value)]
        value = plain(value)
    else:
        value = plain(form.get("base", 0))
        for axis in ("batch", "epoch", "loader", "rank"):
            if "per_" + axis in form:
                value += plain(form["per_" + axis]) * position[axis]
    if "dtype" in form or "dims" in form:
        value = torch.tensor(value, dtype=DTYPES[form.get("dtype", "float32")])
        value = value.reshape([1] * form.get("dims", 0))
    return value


def make_batch(form, position):
    sizes = form.get("sizes", [1])
    size = (sizes[position["batch"] % len(sizes)] + form.get("per_rank", 0) * position["rank"]
            + form.get("per_loader", 0) * position["loader"])
    tensor = torch.zeros(size, 1)
    return {
        "tensor": lambda: tensor,
        "dict": lambda: {"x": tensor, "y": tensor},
        "pair": lambda: [tensor, tensor],
        "nested": lambda: {"a": [(tensor, tensor)]},
        "scalar": lambda: torch.tensor(1.0),
        "ambiguous": lambda: [tensor, torch.zeros(size + 1, 1)],
        "text_last": lambda: [tensor, "text"],
        "text_first": lambda: ["text", tensor],
        "text": lambda: "text",
        "texts": lambda: ["one", "two"],
        "empty": lambda: [],
    }[form.get("kind", "tensor")]()


def plays(when, position, sanity):
    for axis, name in (("epochs", "epoch"), ("batches", "batch"), ("loaders", "loader"), ("ranks", "rank")):
        if when.get(axis) is not None and position[name] not in when[axis]:
            return False
    return when.get("sanity") is None or when["sanity"] == sanity


def number(value):
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return value
