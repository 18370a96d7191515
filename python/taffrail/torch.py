"""PyTorch: gradients, weights, the graph of a module and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taffrail._run import Run


def parameter_counts(module: Any) -> dict[str, int]:
    """How many parameters a module has, how many of them are trained, and those of each child, as `total`, `trainable` and names."""
    counts = {"total": 0, "trainable": 0}
    for parameter in module.parameters():
        counts["total"] += parameter.numel()
        counts["trainable"] += parameter.numel() if parameter.requires_grad else 0
    for name, child in module.named_children():
        counts[name] = sum(parameter.numel() for parameter in child.parameters())
    return counts


def module_nodes(module: Any, example: Any = None) -> list[dict[str, Any]]:
    """The graph of a module as nodes: every module by its name. With an example input, how they were called and the shapes they gave."""
    if not hasattr(module, "named_modules"):
        raise TypeError(f"a graph is made of nodes, or of a PyTorch module; this is a {type(module).__name__}")
    if example is None:
        nodes = []
        for name, part in module.named_modules():
            own = sum(parameter.numel() for parameter in part.parameters(recurse=False))
            parent = name.rpartition(".")[0]
            nodes.append({"name": name.replace(".", "/") or type(module).__name__, "op": type(part).__name__, "parameters": own,
                          "inputs": [parent.replace(".", "/") or type(module).__name__] if name else [], "device": _device(part)})
        return nodes
    return _called_nodes(module, example)


def _device(part: Any) -> str:
    for parameter in part.parameters(recurse=False):
        return str(parameter.device)
    return ""


def _called_nodes(module: Any, example: Any) -> list[dict[str, Any]]:
    """Runs the example once and notes which module made each tensor that another one took."""
    import torch

    nodes: list[dict[str, Any]] = [{"name": "input", "op": "Input", "output_shape": _shape_of(example)}]
    made: dict[int, str] = {}
    kept: list[Any] = []  # a tensor that is gone may leave its number to another

    def note(tensors: Any, name: str) -> None:
        for tensor in _tensors(tensors):
            made[id(tensor)] = name
            kept.append(tensor)

    def hook(name: str) -> Any:
        def called(part: Any, inputs: Any, output: Any) -> None:
            sources = list(dict.fromkeys(made[id(tensor)] for tensor in _tensors(inputs) if id(tensor) in made)) or [nodes[-1]["name"]]
            count = sum(1 for node in nodes if node["name"] == name or node["name"].startswith(f"{name}_"))
            unique = name if not any(node["name"] == name for node in nodes) else f"{name}_{count}"
            nodes.append({"name": unique, "op": type(part).__name__, "inputs": sources, "output_shape": _shape_of(output), "device": _device(part),
                          "parameters": sum(parameter.numel() for parameter in part.parameters(recurse=False))})
            note(output, unique)
        return called

    note(example, "input")
    leaves = [(name, part) for name, part in module.named_modules() if not any(True for _ in part.children())]
    handles = [part.register_forward_hook(hook(name.replace(".", "/") or type(module).__name__)) for name, part in leaves]
    training = module.training
    try:
        module.eval()
        with torch.no_grad():
            output = module(*example) if isinstance(example, (list, tuple)) else module(**example) if isinstance(example, dict) else module(example)
    finally:
        module.train(training)
        for handle in handles:
            handle.remove()
    last = list(dict.fromkeys(made[id(tensor)] for tensor in _tensors(output) if id(tensor) in made)) or [nodes[-1]["name"]]
    nodes.append({"name": "output", "op": "Output", "inputs": last, "output_shape": _shape_of(output)})
    return nodes


def _tensors(value: Any) -> list[Any]:
    if hasattr(value, "data_ptr"):
        return [value]
    if isinstance(value, dict):
        return [tensor for part in value.values() for tensor in _tensors(part)]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in _tensors(part)]
    return []


def _shape_of(value: Any) -> list[int]:
    tensors = _tensors(value)
    return [int(extent) for extent in tensors[0].shape] if tensors else []


def log_graph(module: Any, example: Any = None, *, run: Run | None = None, key: str = "graph", step: int | None = 0) -> None:
    """The graph of a module, into the run (the newest open one where none is given)."""
    from taffrail._run import _must_run
    from taffrail.media import Graph

    Graph(module_nodes(module, example))._log_to(run or _must_run(), key, step)


class Watch:
    """Logs gradients and weights of a module while it is trained; remove() ends it."""

    def __init__(self, module: Any, run: Run, log: str, log_freq: int, bins: int, prefix: str) -> None:
        self.run, self.log, self.log_freq, self.bins, self.prefix = run, log, log_freq, bins, prefix
        self.calls = 0
        self.module = module
        self._handles = [module.register_forward_pre_hook(self._forward)]
        if log in ("gradients", "all"):
            for name, parameter in module.named_parameters():
                if parameter.requires_grad:
                    self._handles.append(parameter.register_post_accumulate_grad_hook(self._gradient_hook(name)))

    @property
    def due(self) -> bool:
        return (self.calls - 1) % self.log_freq == 0

    def _forward(self, module: Any, inputs: Any) -> None:
        if not module.training:
            return
        self.calls += 1
        if not self.due or self.log not in ("parameters", "all"):
            return
        norms = {}
        for name, parameter in module.named_parameters():
            key = f"{self.prefix}parameters/{name.replace('.', '/')}"
            self.run.log_histogram(key, parameter, self.calls - 1, bins=self.bins)
            norms[f"{self.prefix}parameter_norm/{name.replace('.', '/')}"] = float(parameter.detach().norm())
        self.run.log(norms, self.calls - 1)

    def _gradient_hook(self, name: str) -> Any:
        path = name.replace(".", "/")

        def called(parameter: Any) -> None:
            if self.due and parameter.grad is not None:
                step = self.calls - 1
                self.run.log_histogram(f"{self.prefix}gradients/{path}", parameter.grad, step, bins=self.bins)
                self.run.log({f"{self.prefix}gradient_norm/{path}": float(parameter.grad.detach().norm())}, step)
        return called

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def watch(module: Any, *, run: Run | None = None, log: str = "gradients", log_freq: int = 100, bins: int = 64, prefix: str = "") -> Watch:
    """Histograms and norms of gradients and weights, at every `log_freq`-th forward call in training mode; step is the number of that call.
    `log` is 'gradients', 'parameters' or 'all'."""
    from taffrail._run import _must_run

    if log not in ("gradients", "parameters", "all"):
        raise ValueError(f"log must be 'gradients', 'parameters' or 'all', not '{log}'")
    return Watch(module, run or _must_run(), log, log_freq, bins, prefix)
