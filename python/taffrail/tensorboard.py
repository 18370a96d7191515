"""TensorBoard event files by the words of `torch.utils.tensorboard`: change the import, keep the program.

    from taffrail.tensorboard import SummaryWriter

Needs neither torch nor TensorFlow. Files are those of the real writer, checked by TensorBoard itself.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from taffrail import _arrays, _core
from taffrail.media import _drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SummaryWriter"]

BINS = 30  # of a histogram whose caller leaves it to the writer


def _step(global_step: Any) -> int:
    return 0 if global_step is None else int(global_step)


def _number(value: Any) -> float:
    return float(value.item() if hasattr(value, "item") else value)


def _pictures(value: Any, dataformats: str, axes: str) -> Any:
    """Pixels in the order of `axes`; floats stay 0…1, whole numbers of other types become bytes, truth values and masks of 0 and 1 black and white."""
    pixels = _arrays.numpy_array(value)
    formats = dataformats.upper()
    if pixels.ndim != len(formats):
        raise ValueError(f"the picture has {pixels.ndim} axes, dataformats={dataformats!r} names {len(formats)}")
    if "C" not in formats:
        pixels, formats = pixels[..., None], formats + "C"
    if "N" in axes and "N" not in formats:
        pixels, formats = pixels[None], "N" + formats
    pixels = pixels.transpose([formats.index(axis) for axis in axes])
    if pixels.dtype == "float64":
        return pixels.astype("float32")
    if pixels.dtype.kind in "biu" and pixels.dtype != "uint8":
        white = 1 if pixels.dtype == bool or not (pixels > 1).any() else 255  # a mask is black and white, as the other writer shows it
        return (pixels.astype("int64").clip(0, white) * (255 // white)).astype("uint8")
    return pixels


class SummaryWriter:
    """Writes event files. Calls copy what they are given and return; a thread of the writer's own encodes and writes."""

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix="") -> None:
        self.log_dir = log_dir
        self.purge_step, self.max_queue, self.flush_secs, self.filename_suffix = purge_step, max_queue, flush_secs, filename_suffix
        self._charts: dict[str, dict[str, list[Any]]] = {}
        self._writer = _core.SummaryWriter("" if log_dir is None else os.fspath(log_dir), comment, purge_step, max_queue, flush_secs, filename_suffix)
        self._writer.check()
        self.log_dir = self._writer.logdir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False) -> None:
        """A number. `new_style` and `double_precision` are accepted: values are always kept in full."""
        self._writer.add_scalar(tag, _number(scalar_value), _step(global_step), walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None) -> None:
        """Several lines of one chart: each becomes a run of its own below this one."""
        self._writer.add_scalars(main_tag, {str(tag): _number(value) for tag, value in tag_scalar_dict.items()}, _step(global_step), walltime)

    def add_tensor(self, tag, tensor, global_step=None, walltime=None) -> None:
        self._writer.add_tensor(tag, _arrays.array(tensor), _step(global_step), walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None) -> None:
        """The distribution of values. `bins` is a number, one of NumPy's names or a row of edges; `max_bins` bounds a number."""
        if bins != "tensorflow" if isinstance(bins, str) else hasattr(bins, "__len__"):
            import numpy

            numbers = _arrays.numpy_array(values).astype("float64").reshape(-1)
            counts, limits = numpy.histogram(numbers, bins=bins)
            self.add_histogram_raw(tag, numbers.min(), numbers.max(), numbers.size, numbers.sum(), (numbers * numbers).sum(), limits[1:].tolist(), counts.tolist(), global_step, walltime)
            return
        count = BINS if isinstance(bins, str) else int(bins)
        self._writer.add_histogram(tag, _arrays.array(values), _step(global_step), min(count, max_bins) if max_bins else count, walltime)

    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None, walltime=None) -> None:
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        self._writer.add_histogram_raw(tag, _number(min), _number(max), _number(num), _number(sum), _number(sum_squares),
                                       [_number(limit) for limit in bucket_limits], [_number(count) for count in bucket_counts], _step(global_step), walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW") -> None:
        self._writer.add_image(tag, _pictures(img_tensor, dataformats, "HWC"), False, _step(global_step), walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW") -> None:
        self._writer.add_images(tag, _pictures(img_tensor, dataformats, "NHWC"), False, _step(global_step), walltime)

    def add_image_with_boxes(self, tag, img_tensor, box_tensor, global_step=None, walltime=None, rescale=1, dataformats="CHW", labels=None) -> None:
        """Draws boxes (left, top, right, bottom) and their labels into the picture; `rescale` is accepted and only 1 is offered."""
        if rescale != 1:
            raise _core.UnsupportedError("rescale is not offered: resize the picture before")
        boxes = [[float(corner) for corner in box] for box in _arrays.numpy_array(box_tensor).reshape(-1, 4)]
        said = [labels] if isinstance(labels, str) else None if labels is None else [str(label) for label in labels]
        self._writer.add_image_with_boxes(tag, _pictures(img_tensor, dataformats, "HWC"), False, boxes, said, _step(global_step), walltime)

    def add_figure(self, tag: str, figure: Figure | list[Figure], global_step: int | None = None, close: bool = True, walltime: float | None = None) -> None:
        """A drawn figure of matplotlib, or several side by side in one batch; closed afterwards."""
        figures = figure if isinstance(figure, list) else [figure]
        drawn = [_drawn(one) for one in figures]
        if isinstance(figure, list):
            self._writer.add_images(tag, _arrays.stacked(drawn), False, _step(global_step), walltime)
        else:
            self._writer.add_figure(tag, drawn[0], _step(global_step), walltime)
        if close:
            from matplotlib import pyplot

            for one in figures:
                pyplot.close(one)

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None) -> None:
        """N×T×C×H×W, written as an animated GIF with the videos side by side."""
        frames = _arrays.numpy_array(vid_tensor)
        if frames.dtype == "float64":
            frames = frames.astype("float32")
        self._writer.add_video(tag, frames, True, float(fps), _step(global_step), walltime)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None) -> None:
        samples = _arrays.numpy_array(snd_tensor).squeeze()
        if samples.ndim == 2 and samples.shape[0] < samples.shape[1]:
            samples = samples.T  # channels × frames, as the other writer takes them
        if samples.dtype.kind == "f":
            samples = (samples.clip(-1, 1) * 32767).astype("<i2")  # as the other writer keeps them
        self._writer.add_audio(tag, samples, sample_rate, _step(global_step), walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None) -> None:
        self._writer.add_text(tag, text_string, _step(global_step), walltime)

    def add_onnx_graph(self, prototxt) -> None:
        """The graph of an ONNX file; needs the package onnx."""
        import onnx

        graph = onnx.load(prototxt).graph
        made = {output: node.name or f"{node.op_type}_{number}" for number, node in enumerate(graph.node) for output in node.output}
        made |= {value.name: value.name for value in graph.input}
        nodes = [{"name": value.name, "op": "Input"} for value in graph.input]
        nodes += [{"name": node.name or f"{node.op_type}_{number}", "op": node.op_type, "inputs": [made[name] for name in node.input if name in made]}
                  for number, node in enumerate(graph.node)]
        self._add_nodes(nodes)

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True) -> None:
        """The modules of a model, with an example input also how they were called. The other arguments are accepted and change nothing."""
        from taffrail.torch import module_nodes

        self._add_nodes(module_nodes(model, input_to_model))
        if verbose:
            print(model)

    def _add_nodes(self, nodes: list[dict[str, Any]]) -> None:
        from taffrail.media import Graph

        self._writer.add_graph(Graph(nodes).nodes)

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None) -> None:
        from taffrail.media import Table

        table = None
        if metadata is not None:
            table = Table(metadata, columns=metadata_header) if metadata_header else Table.of_labels(list(metadata))
        self._writer.add_embedding(_arrays.array(mat), None if table is None else table.columns, None if table is None else table.rows,
                                   None if label_img is None else _pictures(label_img, "NCHW", "NCHW"), _step(global_step), tag)

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None) -> None:
        self._writer.add_pr_curve(tag, _arrays.typed(labels, "B"), _arrays.typed(predictions, "d"), _step(global_step), num_thresholds,
                                  None if weights is None else _arrays.typed(weights, "d"), walltime)

    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall, global_step=None, num_thresholds=127, weights=None, walltime=None) -> None:
        columns = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall)
        self._writer.add_pr_curve_raw(tag, *([_number(value) for value in column] for column in columns), _step(global_step), walltime)

    def add_custom_scalars(self, layout) -> None:
        """`layout` is {category: {chart: ["Multiline" or "Margin", [tags]]}}; tags of lines are regular expressions, matched from their beginning."""
        self._writer.add_custom_scalars([(category, [(title, list(tags), kind == "Margin") for title, (kind, tags) in charts.items()]) for category, charts in layout.items()])

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled") -> None:
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled") -> None:
        if len(tags) != 3:
            raise ValueError("a margin chart has three tags: the value, its lower and its upper bound")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None) -> None:
        """B×N×3 vertices with colours and faces; of a batch each mesh is added under its number."""
        points = _arrays.numpy_array(vertices)
        many = points.ndim == 3
        for number in range(points.shape[0] if many else 1):
            part = lambda value: None if value is None else (_arrays.numpy_array(value)[number] if many else value)  # noqa: E731
            self._writer.add_mesh(tag if number == 0 else f"{tag}/{number}", _arrays.typed(part(points), "f"), None if faces is None else _arrays.typed(part(faces), "I"),
                                  None if colors is None else _arrays.typed(part(colors), "B"), "" if config_dict is None else json.dumps(config_dict), _step(global_step), walltime)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None) -> None:
        """Hyperparameters and the metrics that go with them, as a run of its own below this one."""
        if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        import time

        self._writer.add_hparams(_arrays.flatten(hparam_dict), {str(name): _number(value) for name, value in metric_dict.items()}, run_name or str(time.time()), _step(global_step))

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()

    def get_logdir(self):
        return self.log_dir

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()
