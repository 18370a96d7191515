"""Wrappers that say what a value is: `run.log({"recon": taffrail.Image(pixels)}, step=step)`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from taffrail import _arrays

if TYPE_CHECKING:
    from taffrail._run import Run


MOST_BINS = 1_000_000


def _is_path(value: object) -> bool:
    return isinstance(value, (str, os.PathLike))


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def _must_be_data(value: object, kind: str) -> None:
    if _is_path(value):
        raise TypeError(f"routines take the data of a taffrail.{kind}, not a file; log the file into the run")


class _Media:
    """What run.log() asks of a wrapper."""

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        raise NotImplementedError

    def _datum(self) -> tuple[Any, ...]:
        """What a routine is handed; of the kinds that routines know."""
        raise TypeError(f"no routine takes a taffrail.{type(self).__name__}; log it into the run")

    @classmethod
    def _log_all(cls, run: Run, key: str, values: Sequence[Any], step: int | None) -> None:
        """A list of them under one key: each is an entry of that step."""
        for value in values:
            value._log_to(run, key, step)


def _picture_array(value: object) -> tuple[object, str]:
    """Pixels and their layout of a picture of PIL or a drawn figure of matplotlib."""
    if _arrays.package_of(value) == "PIL":
        if value.mode not in ("L", "RGB", "RGBA", "I;16"):  # type: ignore[attr-defined]
            value = value.convert("RGBA" if "transparency" in value.info or value.mode in ("LA", "PA") else "RGB")  # type: ignore[attr-defined]
        channels = {"L": 1, "RGB": 3, "RGBA": 4, "I;16": 1}[value.mode]  # type: ignore[attr-defined]
        data = memoryview(value.tobytes())  # type: ignore[attr-defined]
        width, height = value.size  # type: ignore[attr-defined]
        if value.mode == "I;16":  # type: ignore[attr-defined]
            return data.cast("H", (height, width)), "hwc"
        return data.cast("B", (height, width) if channels == 1 else (height, width, channels)), "hwc"
    return _drawn(value), "hwc"


def _drawn(figure: Any) -> object:
    """Pixels of a matplotlib figure, or of the figure that axes or pyplot itself stand for."""
    figure = figure.gcf() if callable(getattr(figure, "gcf", None)) else getattr(figure, "figure", figure)
    canvas = figure.canvas
    if not hasattr(canvas, "buffer_rgba"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = canvas.get_width_height(physical=True) if hasattr(canvas, "device_pixel_ratio") else canvas.get_width_height()
    return memoryview(bytes(canvas.buffer_rgba())).cast("B", (height, width, 4))


def _guess_layout(shape: Sequence[int]) -> str:
    """Channels are 1, 3 or 4: where only the first axis can be theirs, they come first."""
    if len(shape) < 3:
        return "hwc"
    first, last = shape[-3], shape[-1]
    return "chw" if first in (1, 3, 4) and last not in (1, 3, 4) else "hwc"


def _bytes(numbers: Any) -> Any:
    """Whole numbers as pixels of 0…255, truth values as black and white."""
    return (numbers.astype("int64") * (255 if numbers.dtype == bool else 1)).clip(0, 255).astype("uint8")


def _shape(value: object) -> Sequence[int]:
    if isinstance(value, (list, tuple)):
        return (len(value), *_shape(value[0])) if value else (0,)
    return tuple(getattr(value, "shape", ()))


class Image(_Media):
    """A picture or a batch of them: an array, a PIL picture, a matplotlib figure, or the path of a PNG, JPEG or GIF file.

    Whole numbers are 0…255 (or 16 bits), floats are shown as 0…1 and kept bit for bit. `layout` is 'hwc' or 'chw'; without it the
    axis of 1, 3 or 4 elements holds the channels, the last one where both could.
    """

    def __init__(self, data: object, caption: str | None = None, *, captions: Iterable[str] | None = None, layout: str | None = None) -> None:
        self.data, self.caption, self.captions, self.layout = data, caption or "", None if captions is None else list(captions), layout and layout.lower()

    def _pixels(self) -> tuple[object, str]:
        if self.data is None:
            raise TypeError("a picture is an array, a picture of PIL, a figure of matplotlib or a file, not None")
        if _arrays.package_of(self.data) in ("PIL", "matplotlib"):
            return _picture_array(self.data)
        pixels = _arrays.array(self.data)
        if isinstance(pixels, (list, tuple)):
            pixels = _arrays.numpy_array(pixels).astype("float32")
        name = str(getattr(pixels, "dtype", ""))
        if any(word in name for word in ("int64", "int32", "int16", "int8", "bool")) and "uint8" not in name and "uint16" not in name:
            pixels = _bytes(_arrays.numpy_array(pixels))
        elif "float64" in name:
            pixels = _arrays.numpy_array(pixels).astype("float32")
        return pixels, self.layout or _guess_layout(_shape(pixels))

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        if _is_path(self.data):
            run._image_file(key, os.fspath(self.data), step, self.caption)  # type: ignore[call-overload]
            return
        pixels, layout = self._pixels()
        run._image(key, pixels, step, layout, self.caption, self.captions)

    def _datum(self) -> tuple[Any, ...]:
        _must_be_data(self.data, "Image")
        return ("image", *self._pixels())

    @classmethod
    def _log_all(cls, run: Run, key: str, values: Sequence[Image], step: int | None) -> None:
        """Pictures of one size become one batch."""
        pixels = [image._pixels() for image in values if not _is_path(image.data)]
        if len(pixels) == len(values) > 1 and len({(_shape(one), layout) for one, layout in pixels}) == 1 and len(_shape(pixels[0][0])) in (2, 3):
            batch = _arrays.stacked([one for one, _ in pixels])
            if batch.ndim == 3:  # type: ignore[attr-defined]
                batch = batch[..., None]  # type: ignore[index]
            run._image(key, batch, step, pixels[0][1], "", [image.caption for image in values])
        else:
            super()._log_all(run, key, values, step)


class Audio(_Media):
    """Samples ([frames] or [frames × channels]; floats are -1…1) with their rate, or the path of a WAV, FLAC, Ogg or MP3 file."""

    def __init__(self, data: object, sample_rate: int = 44100, caption: str | None = None) -> None:
        if sample_rate != int(sample_rate):
            raise ValueError(f"sample_rate is a whole number of samples in a second, not {sample_rate!r}")
        self.data, self.sample_rate, self.caption = data, int(sample_rate), caption or ""

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        if _is_path(self.data):
            run._audio_file(key, os.fspath(self.data), step, self.caption)  # type: ignore[call-overload]
            return
        run._audio(key, self._samples(), self.sample_rate, step, self.caption)

    def _samples(self) -> object:
        samples = _arrays.array(self.data)
        if isinstance(samples, (list, tuple)) or "float64" in str(getattr(samples, "dtype", "")):
            samples = _arrays.numpy_array(samples).astype("float32")
        return samples

    def _datum(self) -> tuple[Any, ...]:
        _must_be_data(self.data, "Audio")
        return "audio", self._samples(), self.sample_rate


class Video(_Media):
    """Frames (T×H×W×C or T×C×H×W; floats are 0…1), or the path of an MP4, WebM or GIF file."""

    def __init__(self, data: object, fps: float = 10.0, caption: str | None = None, *, layout: str | None = None) -> None:
        self.data, self.fps, self.caption, self.layout = data, float(fps), caption or "", layout and layout.lower()

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        if _is_path(self.data):
            run._video_file(key, os.fspath(self.data), step, self.caption)  # type: ignore[call-overload]
            return
        frames, layout = self._frames()
        run._video(key, frames, self.fps, step, layout, self.caption)

    def _frames(self) -> tuple[object, str]:
        frames = _arrays.array(self.data)
        name = str(getattr(frames, "dtype", ""))
        if isinstance(frames, (list, tuple)) or "float64" in name:
            frames = _arrays.numpy_array(frames).astype("float32")
        elif ("int" in name or "bool" in name) and "uint8" not in name:
            frames = _bytes(_arrays.numpy_array(frames))
        return frames, self.layout or _guess_layout(_shape(frames))

    def _datum(self) -> tuple[Any, ...]:
        _must_be_data(self.data, "Video")
        frames, layout = self._frames()
        return "video", frames, self.fps, layout


class Mesh(_Media):
    """Vertices (N×3) with triangles (M×3), a mesh of Trimesh or Open3D, or the path of an OBJ, PLY, STL or GLB file."""

    def __init__(self, vertices: object, faces: object = None, *, colors: object = None, normals: object = None,
                 config: Mapping[str, Any] | None = None) -> None:
        self.path = os.fspath(vertices) if _is_path(vertices) else None  # type: ignore[call-overload]
        module = _arrays.package_of(vertices)
        if module == "open3d":
            data: Any = vertices
            vertices = data.vertices if hasattr(data, "vertices") else data.points
            faces = data.triangles if hasattr(data, "triangles") else None
            painted = getattr(data, "vertex_colors", None) if hasattr(data, "triangles") else getattr(data, "colors", None)
            if painted is not None and len(painted):
                colors = _arrays.numpy_array(painted) * 255
        elif module == "trimesh":
            data = vertices
            vertices, faces = data.vertices, getattr(data, "faces", None)
            visual = getattr(data, "visual", None)
            if colors is None and getattr(visual, "kind", None) == "vertex":
                colors = visual.vertex_colors[:, :3]
        self.vertices, self.faces, self.colors, self.normals = vertices, faces, colors, normals
        self.config = "" if config is None else _json(config)

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        if self.path is not None:
            run._mesh_file(key, self.path, step)
            return
        vertices, faces, colors, normals = self._parts()
        run._mesh(key, vertices, faces, colors, normals, step, self.config)

    def _parts(self) -> tuple[object, ...]:
        colors = self.colors
        for name, part in (("vertices", self.vertices), ("faces", self.faces), ("colors", colors), ("normals", self.normals)):
            if part is not None and len(shape := _shape(part)) > 1 and shape[-1] != 3:
                raise TypeError(f"{name} are three numbers each, not an array of {'×'.join(map(str, shape))}")
        if colors is not None and "float" in str(getattr(colors, "dtype", "")):
            numbers = _arrays.numpy_array(colors)
            colors = (numbers * 255 if numbers.size and numbers.max() <= 1 else numbers).round()
        return (_arrays.typed(self.vertices, "f"), None if self.faces is None else _arrays.typed(self.faces, "I"),
                None if colors is None else _arrays.typed(colors, "B"), None if self.normals is None else _arrays.typed(self.normals, "f"))

    def _datum(self) -> tuple[Any, ...]:
        _must_be_data(self.path, "Mesh")
        return ("mesh", *self._parts(), self.config)


class PointCloud(Mesh):
    """Points (N×3) with colours where given, or a cloud of Open3D."""

    def __init__(self, points: object, *, colors: object = None, normals: object = None, config: Mapping[str, Any] | None = None) -> None:
        super().__init__(points, None, colors=colors, normals=normals, config=config)


class Histogram(_Media):
    """The distribution of an array's values; or bins already counted, as `np_histogram=(counts, edges)`."""

    def __init__(self, values: object = None, bins: int = 64, *, np_histogram: tuple[object, object] | None = None) -> None:
        if not hasattr(bins, "__index__") or not 1 <= bins <= MOST_BINS:
            raise ValueError(f"bins is a number from 1 to {MOST_BINS:,}, not {bins!r}")
        self.bins = bins.__index__()
        if np_histogram is None and isinstance(values, tuple) and len(values) == 2 and all(hasattr(part, "__len__") for part in values) \
                and len(values[1]) == len(values[0]) + 1:
            np_histogram, values = values, None
        if values is None and np_histogram is None:
            raise TypeError("Histogram() takes values, or np_histogram=(counts, edges)")
        self.values, self.counted = values, np_histogram

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        if self.counted is not None:
            run._bins(key, self.counted[1], self.counted[0], step)
        else:
            run._histogram(key, _arrays.array(self.values), step, self.bins)

    def _datum(self) -> tuple[Any, ...]:
        return ("values", _arrays.typed(self.values, "d"), self.bins) if self.counted is None else ("bins", self.counted[1], self.counted[0])


class Table(_Media):
    """Columns and rows. From rows with `columns`, from dicts, or from a DataFrame of pandas or Polars. Pictures, sound and the like in its cells are logged
    beside it, under `KEY/COLUMN`; in the cell stands what they are."""

    def __init__(self, data: object = None, columns: Iterable[str] | None = None) -> None:
        self.columns: list[str] = [] if columns is None else [str(name) for name in columns]
        self.rows: list[list[Any]] = []
        self._media: dict[str, list[tuple[int, _Media]]] = {}  # by column, with their rows
        if data is None:
            return
        frame: Any = data
        if hasattr(frame, "columns") and (hasattr(frame, "itertuples") or hasattr(frame, "iter_rows")):
            self.columns = [str(name) for name in frame.columns]
            rows: Iterable[Any] = frame.itertuples(index=False, name=None) if hasattr(frame, "itertuples") else frame.iter_rows()
        elif isinstance(data, Mapping):
            self.columns = [str(name) for name in data]
            if len(lengths := {name: len(column) for name, column in data.items()}) and len(set(lengths.values())) > 1:
                raise ValueError(f"the columns of the table are not of one length: {', '.join(f'{name} has {count}' for name, count in lengths.items())}")
            rows = zip(*data.values(), strict=True)
        elif isinstance(frame, Iterable) and not isinstance(frame, (str, bytes)):
            rows = frame
        else:
            raise TypeError(f"a table is made of rows, dicts or a DataFrame, not of a {type(data).__name__}")
        for row in rows:
            if isinstance(row, Mapping):
                if not self.columns:
                    self.columns = [str(name) for name in row]
                self.add_data(*(row.get(name) for name in self.columns))
            else:
                if not self.columns:
                    self.columns = [f"column {number}" for number in range(len(row))]
                self.add_data(*row)

    @classmethod
    def of_labels(cls, labels: object) -> Table:
        """One column `label`, or the columns of rows."""
        rows: Any = labels
        return cls([[label] for label in rows], columns=["label"]) if not len(rows) or not isinstance(rows[0], (list, tuple)) else cls(rows)

    def add_data(self, *cells: object) -> None:
        """One more row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"the table has {len(self.columns)} columns, the row {len(cells)} cells")
        for name, cell in zip(self.columns, cells, strict=True):
            if isinstance(cell, _Media):
                self._media.setdefault(name, []).append((len(self.rows), cell))
        self.rows.append([_cell(cell) for cell in cells])

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        run._table(key, self.columns, self.rows, step)
        for name, cells in self._media.items():
            pictures = [_told(cell, f"row {row}") for row, cell in cells if isinstance(cell, Image)]
            if pictures:
                Image._log_all(run, f"{key}/{name}", pictures, step)
            for _, cell in cells:
                if not isinstance(cell, Image):
                    cell._log_to(run, f"{key}/{name}", step)

    def _datum(self) -> tuple[Any, ...]:
        return "table", self.columns, self.rows


def _told(image: Image, caption: str) -> Image:
    """The same picture; it says where it stood where it says nothing itself."""
    if image.caption or image.captions:
        return image
    return Image(image.data, caption, layout=image.layout)


def _cell(value: Any) -> Any:
    if isinstance(value, _Media):
        return type(value).__name__
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value


class Text(_Media):
    """Markdown, or plain text."""

    def __init__(self, text: str, *, plain: bool = False) -> None:
        self.text, self.plain = text, plain

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"'{key}' takes a text, not a {type(self.text).__name__}")
        run._text(key, self.text, step, self.plain)

    def _datum(self) -> Any:
        return self.text


class Figure(_Media):
    """A figure of Plotly (or its JSON text) or a drawn figure of matplotlib."""

    def __init__(self, figure: object) -> None:
        self.figure = figure

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        figure: Any = self.figure
        if isinstance(figure, str):
            run._figure(key, figure, step, None)
        elif hasattr(figure, "to_json"):
            run._figure(key, figure.to_json(), step, None)
        elif isinstance(figure, Mapping):
            run._figure(key, _json(figure), step, None)
        elif not any(hasattr(figure, name) for name in ("canvas", "figure", "gcf")):
            raise TypeError("a figure is one of Plotly or matplotlib, or JSON text; for a picture file take taffrail.Image(path)")
        else:
            run._figure(key, "", step, _drawn(figure))


class Graph(_Media):
    """A computation graph: nodes as dicts with name, op, inputs, output_shape, parameters, device and attributes, or a PyTorch module."""

    def __init__(self, nodes: object) -> None:
        if not isinstance(nodes, (list, tuple)):
            from taffrail.torch import module_nodes

            nodes = module_nodes(nodes)
        self.nodes: list[dict[str, Any]] = []
        for given in nodes:
            node = {"name": "", "op": "", "inputs": [], "output_shape": [], "parameters": 0, "device": "", "attributes": {}, **given}
            if unknown := set(node) - {"name", "op", "inputs", "output_shape", "parameters", "device", "attributes"}:
                raise ValueError(f"a node has no {', '.join(sorted(unknown))}")
            node["attributes"] = _arrays.flatten(node["attributes"])
            self.nodes.append(node)

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        run._graph(key, self.nodes, step)

    def _datum(self) -> tuple[Any, ...]:
        return "graph", self.nodes


class Artifact(_Media):
    """A file or a folder, kept as the next version of its name."""

    def __init__(self, path: str | os.PathLike[str], *, type: str = "file", metadata: Mapping[str, Any] | None = None) -> None:
        self.path, self.type, self.metadata = os.fspath(path), type, dict(metadata or {})

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        run.log_artifact(key, self.path, type=self.type, metadata=self.metadata)
