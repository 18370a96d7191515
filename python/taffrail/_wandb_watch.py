"""watch() by the words of the W&B client: every `log_freq`-th time, the distribution of gradients and weights goes into the row that is being made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taffrail._wandb_media import Histogram

if TYPE_CHECKING:
    from taffrail._wandb_run import Run

BINS = 64


class Watch:
    def __init__(self, run: Run, module: Any, log: str | None, log_freq: int, prefix: str) -> None:
        self.module, self._run, self._handles = module, run, []  # type: ignore[var-annotated]
        if log in ("parameters", "all"):
            self._handles.append(module.register_forward_hook(_every(log_freq, lambda *_: self._parameters(prefix))))
        if log in ("gradients", "all"):
            for name, parameter in module.named_parameters():
                if parameter.requires_grad:
                    self._handles.append(parameter.register_hook(_every(log_freq, lambda gradient, key=f"gradients/{prefix}{name}": self._put(key, gradient))))

    def _parameters(self, prefix: str) -> None:
        for name, parameter in self.module.named_parameters():
            self._put(f"parameters/{prefix}{name}", parameter)

    def _put(self, key: str, tensor: Any) -> None:
        """Counted now: the numbers change before their row is done. What is not finite has no place, and nothing but that is left out."""
        values = tensor.detach()
        if values.is_sparse:
            values = values.to_dense()
        values = values.reshape(-1).float().cpu()
        values = values[values.isfinite()]
        if not len(values):
            return
        least, most = values.min().item(), values.max().item()
        counts = [float(len(values))] if least == most else values.histc(BINS, least, most).tolist()
        edges = [least, most] if least == most else (least + (most - least) * step / BINS for step in range(BINS + 1))
        self._run._waiting[key] = Histogram(np_histogram=(counts, list(edges)))

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []


def _every(count: int, work: Callable[..., None]) -> Callable[..., None]:
    """A hook that works at each `count`-th call."""
    calls = 0

    def hook(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        if calls >= count:
            calls = 0
            work(*arguments)

    return hook
