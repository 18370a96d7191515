"""`wandb.plot`: charts of tables by the words of the W&B client. Each is a figure of Plotly's words, and its table stands beside it under `KEY_table`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from taffrail import _arrays, media
from taffrail._wandb_media import Table

if TYPE_CHECKING:
    from taffrail._run import Run

__all__ = ["CustomChart", "bar", "confusion_matrix", "histogram", "line", "line_series", "pr_curve", "roc_curve", "scatter"]


class CustomChart(media._Media):
    def __init__(self, table: Table, traces: list[dict[str, Any]], title: str, x: str, y: str) -> None:
        self.table = table
        self.figure = {"data": traces, "layout": {"title": {"text": title}, "xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}}

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        media.Figure(self.figure)._log_to(run, key, step)
        self.table._log_to(run, f"{key}_table", step)


def _columns(table: Table, *names: str) -> list[list[Any]]:
    for name in names:
        if name not in table.columns:
            raise ValueError(f"the table has no column '{name}'; it has {', '.join(table.columns)}")
    return [table.get_column(name) for name in names]


def bar(table: Table, label: str, value: str, title: str = "", split_table: bool = False) -> CustomChart:
    """A bar for each row."""
    x, y = _columns(table, label, value)
    return CustomChart(table, [{"type": "bar", "x": x, "y": y}], title, label, value)


def histogram(table: Table, value: str, title: str = "", split_table: bool = False) -> CustomChart:
    """The distribution of a column."""
    (x,) = _columns(table, value)
    return CustomChart(table, [{"type": "histogram", "x": x}], title, value, "Count")


def scatter(table: Table, x: str, y: str, title: str = "", split_table: bool = False) -> CustomChart:
    """A point for each row."""
    xs, ys = _columns(table, x, y)
    return CustomChart(table, [{"type": "scatter", "mode": "markers", "x": xs, "y": ys}], title, x, y)


def line(table: Table, x: str, y: str, stroke: str | None = None, title: str = "", split_table: bool = False) -> CustomChart:
    """A line, or one for each value of the column `stroke`."""
    xs, ys = _columns(table, x, y)
    names = [y] * len(xs) if stroke is None else _columns(table, stroke)[0]
    return CustomChart(table, _lines(zip(names, xs, ys, strict=True)), title, x, y)


def line_series(xs: Sequence[Any], ys: Sequence[Sequence[Any]], keys: Sequence[str] | None = None, title: str = "", xname: str = "x", split_table: bool = False) -> CustomChart:
    """A line for each of `ys`, over `xs` or its own of them."""
    if not hasattr(xs[0], "__iter__") or isinstance(xs[0], (str, bytes)):
        xs = [xs] * len(ys)
    if len(xs) != len(ys):
        raise ValueError(f"Number of x-series ({len(xs)}) must match y-series ({len(ys)}).")
    keys = [f"line_{number}" for number in range(len(ys))] if keys is None else keys
    if len(keys) != len(ys):
        raise ValueError(f"Number of keys ({len(keys)}) must match y-series ({len(ys)}).")
    table = Table(columns=["step", "lineKey", "lineVal"], data=[[x, key, y] for key, many, of in zip(keys, xs, ys, strict=True) for x, y in zip(many, of, strict=False)])
    return CustomChart(table, _lines((key, x, y) for x, key, y in table.rows), title, xname, "")


def _lines(points: Iterable[tuple[Any, Any, Any]]) -> list[dict[str, Any]]:
    """A trace for each name, in the order in which they come."""
    traces: dict[Any, dict[str, Any]] = {}
    for name, x, y in points:
        trace = traces.setdefault(name, {"type": "scatter", "mode": "lines", "name": str(name), "x": [], "y": []})
        trace["x"].append(x)
        trace["y"].append(y)
    return list(traces.values())


def confusion_matrix(probs: Sequence[Sequence[float]] | None = None, y_true: Sequence[Any] | None = None, preds: Sequence[Any] | None = None,
                     class_names: Sequence[str] | None = None, title: str = "Confusion Matrix Curve", split_table: bool = False) -> CustomChart:
    """How often each class was taken for which, from probabilities or predictions."""
    if (probs is None) == (preds is None):
        raise ValueError("Only one of `probs` or `preds` should be provided, not both." if probs is not None else "either `probs` or `preds` must be provided")
    said = _list(preds) if preds is not None else [max(range(len(row)), key=row.__getitem__) for row in _list(probs)]
    right = _list(y_true if y_true is not None else [])
    if len(said) != len(right):
        raise ValueError("The number of predictions and true labels must be equal.")
    classes = list(range(len(class_names))) if class_names is not None else sorted({*said, *right})
    names = list(class_names) if class_names is not None else [f"Class_{number + 1}" for number in range(len(classes))]
    if unknown := {*said, *right} - set(classes):
        raise ValueError(f"{len(names)} class names are given, and there is a class {sorted(unknown)[0]}")
    place = {value: number for number, value in enumerate(classes)}
    counts = [[0] * len(names) for _ in names]
    for actual, predicted in zip(right, said, strict=True):
        counts[place[actual]][place[predicted]] += 1
    table = Table(columns=["Actual", "Predicted", "nPredictions"], data=[[names[i], names[j], counts[i][j]] for i in range(len(names)) for j in range(len(names))])
    return CustomChart(table, [{"type": "heatmap", "x": names, "y": names, "z": counts}], title, "Predicted", "Actual")


def _list(values: Any) -> list[Any]:
    return list(_arrays.array(values).tolist()) if hasattr(values, "tolist") else list(values)  # type: ignore[attr-defined]


def _ranked(y_true: Any, y_probas: Any, labels: Sequence[str] | None, classes_to_plot: Sequence[Any] | None) -> Iterable[tuple[Any, Any, Any, Any]]:
    """Of each class: its name, and behind each threshold, from the highest on, how many are right, how many are wrong, how many there are of it."""
    import numpy

    true, probas = numpy.asarray(_list(y_true)), numpy.asarray(_list(y_probas), dtype=float)
    classes = numpy.unique(true)
    if probas.ndim != 2 or probas.shape[0] != len(true) or probas.shape[1] < len(classes):
        raise ValueError(f"y_probas has a row for each label and a column for each class, not {'×'.join(map(str, probas.shape))} for {len(true)} labels of {len(classes)} classes")
    for number, one in enumerate(classes.tolist()):
        if classes_to_plot is not None and one not in list(classes_to_plot):
            continue
        order = numpy.argsort(-probas[:, number], kind="stable")
        scores, hits = probas[order, number], true[order] == one
        last = numpy.append(numpy.flatnonzero(numpy.diff(scores)), len(scores) - 1)  # of several equal scores
        right = numpy.cumsum(hits)[last]
        yield labels[one] if labels is not None and isinstance(one, int) else one, right, 1 + last - right, hits.sum()


def _curves(rows: list[list[Any]], x: str, y: str, title: str, x_title: str, y_title: str) -> CustomChart:
    table = Table(columns=["class", y, x], data=rows)
    return CustomChart(table, _lines((name, at, value) for name, value, at in rows), title, x_title, y_title)


def pr_curve(y_true: Any = None, y_probas: Any = None, labels: Sequence[str] | None = None, classes_to_plot: Sequence[Any] | None = None, interp_size: int = 21,
             title: str = "Precision-Recall Curve", split_table: bool = False) -> CustomChart:
    """Precision at `interp_size` values of recall, of each class against the others."""
    import numpy

    rows: list[list[Any]] = []
    for name, right, wrong, count in _ranked(y_true, y_probas, labels, classes_to_plot):
        recall = numpy.append(0.0, right / max(count, 1))
        # The best that is still reached with at least that much recall.
        precision = numpy.maximum.accumulate(numpy.append(1.0, right / (right + wrong))[::-1])[::-1]
        for wanted in numpy.linspace(0, 1, interp_size)[::-1]:
            at = min(int(numpy.searchsorted(recall, wanted, side="left")), len(recall) - 1)
            rows.append([name, round(float(precision[at]), 3), round(float(wanted), 3)])
    return _curves(rows, "recall", "precision", title, "Recall", "Precision")


def roc_curve(y_true: Any, y_probas: Any = None, labels: Sequence[str] | None = None, classes_to_plot: Sequence[Any] | None = None, title: str = "ROC Curve",
              split_table: bool = False) -> CustomChart:
    """True against false positives over all thresholds, of each class against the others."""
    rows: list[list[Any]] = []
    for name, right, wrong, count in _ranked(y_true, y_probas, labels, classes_to_plot):
        others = max(int(right[-1] + wrong[-1]) - int(count), 1)
        for hit, missed in zip([0, *right.tolist()], [0, *wrong.tolist()], strict=True):
            rows.append([name, round(hit / max(int(count), 1), 3), round(missed / others, 3)])
    return _curves(rows, "fpr", "tpr", title, "False positive rate", "True positive rate")
