"""The media classes of `taffrail.wandb`: the arguments of W&B's, the values of ours."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from taffrail import _arrays, media

if TYPE_CHECKING:
    from taffrail._run import Run


PLAIN = frozenset((float, int, bool, str))
LONGEST_ARRAY = 32  # of numbers that are kept one by one; of longer ones the distribution


def loggable(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """What the client takes for a value: parts of dicts by names joined with dots, lists as their text, long arrays as histograms."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{before}{key}" if before else key
        if type(value) in PLAIN:
            found[name] = value
        elif isinstance(value, Mapping):
            found.update(loggable(value, f"{name}."))
        elif isinstance(value, (set, frozenset, list, tuple)) and not _is_media(value):
            found[name] = media.Text(_json(list(value)), plain=True)
        elif (_arrays._elements(value) or 1) > 1 and _arrays.package_of(value) not in ("PIL", "pandas", "polars"):
            array = _arrays.numpy_array(value)
            found[name] = Histogram(array, num_bins=LONGEST_ARRAY) if array.size > LONGEST_ARRAY else media.Text(_json(array.tolist()), plain=True)
        else:
            found[name] = _plain(value)
    return found


def _is_media(value: object) -> bool:
    """What has content beside its value: a wrapper, or a list of them."""
    return hasattr(value, "_log_to") or (isinstance(value, (list, tuple)) and bool(value) and all(hasattr(part, "_log_to") for part in value))


def _plain(value: Any) -> Any:
    """What has a value or a text, as that; a number of a device stays where it is."""
    if hasattr(value, "item") and _arrays._elements(value) == 1 and not hasattr(value, "copy_to_host_async") and _arrays.package_of(value) not in ("cupy", "pandas", "polars") \
            and getattr(getattr(value, "device", None), "type", "cpu") == "cpu":
        return value.item()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (FunctionType, BuiltinFunctionType, type)):
        return f"{value.__module__}.{value.__qualname__}"
    return str(value) if isinstance(value, (os.PathLike, complex)) else value


def _json(value: object) -> str:
    import json

    def inside(part: Any) -> Any:
        if isinstance(part, (set, frozenset)):
            return list(part)
        if hasattr(part, "tolist"):
            return part.tolist()
        plain = _plain(part)
        return plain if plain is not part else str(part)

    return json.dumps(value, default=inside)


def _copied(value: object) -> Any:
    """An array of its own: a program may fill the buffer with the next picture before this one is logged."""
    import numpy

    return numpy.array(_arrays.numpy_array(value))


class Image(media.Image):
    """wandb.Image: arrays are channels-last, torch tensors channels-first; floats are 0…1, -1…1 or 0…255, whichever holds them. `masks` and `boxes` have
    no place and are refused."""

    def __init__(self, data_or_path: object, mode: str | None = None, caption: str | None = None, grouping: int | None = None, classes: object = None,
                 boxes: object = None, masks: object = None, file_type: str | None = None, normalize: bool = True) -> None:
        if boxes is not None or masks is not None:
            raise NotImplementedError("boxes and masks of wandb.Image have no place here; draw them into the picture")
        data, layout = data_or_path, None
        if isinstance(data, Image):
            data, caption, layout = data.data, caption or data.caption, data.layout
        elif not isinstance(data, (str, os.PathLike)):
            data, layout = self._taken(data, mode)
        super().__init__(data, caption, layout=layout)

    @staticmethod
    def _taken(data: Any, mode: str | None) -> tuple[object, str | None]:
        """The pixels as they are now."""
        if _arrays.package_of(data) in ("PIL", "matplotlib"):
            return media._picture_array(data.convert(mode) if mode is not None and hasattr(data, "convert") else data)
        layout = "chw" if hasattr(data, "detach") and len(data.shape) > 2 else None
        pixels = _copied(data)
        if pixels.ndim > 3:
            pixels = pixels.squeeze()
        if pixels.dtype.kind == "f" and pixels.size:
            least, most = pixels.min(), pixels.max()
            if -1 <= least < 0 and most <= 1:
                pixels = (pixels + 1) / 2
            elif most > 1:
                pixels = pixels.clip(0, 255).astype("uint8")
        if mode is not None:
            from PIL import Image as pictures

            whole = pixels if pixels.dtype == "uint8" else (pixels * 255).astype("uint8") if pixels.dtype.kind == "f" else media._bytes(pixels)
            whole = whole.transpose(1, 2, 0) if layout == "chw" and whole.ndim == 3 else whole
            return media._picture_array(pictures.fromarray(whole.squeeze() if whole.ndim > 2 else whole).convert(mode))
        return pixels, layout


class Audio(media.Audio):
    def __init__(self, data_or_path: object, sample_rate: int | None = None, caption: str | None = None) -> None:
        if sample_rate is None and not isinstance(data_or_path, (str, os.PathLike)):
            raise ValueError("Argument \"sample_rate\" is required when instantiating wandb.Audio with raw data.")
        super().__init__(data_or_path if isinstance(data_or_path, (str, os.PathLike)) else _copied(data_or_path), sample_rate or 44100, caption)


class Video(media.Video):
    """Frames are T×C×H×W, or N×T×C×H×W with the videos side by side."""

    def __init__(self, data_or_path: object, caption: str | None = None, fps: int | None = None, format: str | None = None) -> None:
        if not isinstance(data_or_path, (str, os.PathLike)):
            frames = _copied(data_or_path)
            if frames.ndim == 5:
                frames = frames.transpose(1, 2, 3, 0, 4).reshape(frames.shape[1], frames.shape[2], frames.shape[3], -1)
            data_or_path = frames
        super().__init__(data_or_path, float(fps or 4), caption, layout="chw")


class Histogram(media.Histogram):
    def __init__(self, sequence: object = None, np_histogram: tuple[object, object] | None = None, num_bins: int = 64) -> None:
        if num_bins > 512:
            raise ValueError("The maximum length of a histogram is 512")
        values = None if sequence is None else list(sequence) if isinstance(sequence, Sequence) else _copied(sequence)
        super().__init__(values, num_bins, np_histogram=np_histogram)


class Table(media.Table):
    def __init__(self, columns: Sequence[str] | None = None, data: object = None, rows: object = None, dataframe: object = None, dtype: object = None,
                 optional: object = True, allow_mixed_types: bool = False, log_mode: str | None = "IMMUTABLE") -> None:
        given = dataframe if dataframe is not None else data if data is not None else rows
        super().__init__(given, columns if dataframe is None else None)
        if not self.columns:
            self.columns = ["Input", "Output", "Expected"]

    @property
    def data(self) -> list[list[Any]]:
        return self.rows

    def add_row(self, *row: object) -> None:
        self.add_data(*row)

    def add_column(self, name: str, data: Sequence[Any]) -> None:
        if len(data) != len(self.rows):
            raise ValueError(f"the table has {len(self.rows)} rows, the column {len(data)} values")
        self.columns.append(name)
        for number, (row, value) in enumerate(zip(self.rows, data, strict=True)):
            if isinstance(value, media._Media):
                self._media.setdefault(name, []).append((number, value))
            row.append(media._cell(value))

    def iterrows(self) -> Iterator[tuple[int, list[Any]]]:
        return iter(enumerate(self.rows))

    def get_dataframe(self) -> Any:
        import pandas

        return pandas.DataFrame(self.rows, columns=self.columns)

    def get_column(self, name: str, convert_to: str | None = None) -> Any:
        values = [row[self.columns.index(name)] for row in self.rows]
        return _arrays.numpy_array(values) if convert_to == "numpy" else values


class Object3D(media.PointCloud):
    """Points (N×3, N×4 with a category, N×6 with colours) or a file (OBJ, GLB, …). Categories have no place and are left out, with a warning; boxes are refused."""

    def __init__(self, data_or_path: object, caption: str | None = None, **_: Any) -> None:
        colors = None
        if not isinstance(data_or_path, (str, os.PathLike)):
            if isinstance(data_or_path, Mapping):
                if any(len(data_or_path.get(name, ())) for name in ("boxes", "vectors")):
                    raise NotImplementedError("boxes and vectors of wandb.Object3D have no place here")
                data_or_path = data_or_path["points"]
            points = _copied(data_or_path)
            if points.ndim != 2 or points.shape[1] not in (3, 4, 6):
                raise ValueError("points are N×3, N×4 or N×6")
            if points.shape[1] == 4:
                warnings.warn("categories of points are not kept; N×6 with colours shows them", stacklevel=2)
            colors = points[:, 3:6].clip(0, 255).astype("uint8") if points.shape[1] == 6 else None
            data_or_path = points[:, :3]
        super().__init__(data_or_path, colors=colors)


class Html(media._Media):
    """A page: text, something to read it from, or the path of an .html file. `inject` puts the client's own style into its head. It is kept as a file;
    the dashboard shows it among the files of the run, in a frame without scripts."""

    STYLE = '<base target="_blank"><link rel="stylesheet" type="text/css" href="https://app.wandb.ai/normalize.css" />'

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False) -> None:
        if hasattr(data, "read"):
            if hasattr(data, "seek"):
                data.seek(0)
            text = data.read()
        elif not isinstance(data, (str, os.PathLike)):
            raise ValueError(f"a page is a text, a path or something to read from, not a {type(data).__name__}")
        elif not data_is_not_path and os.fspath(data).endswith(".html") and os.path.isfile(data):
            with open(data, encoding="utf-8") as file:
                text = file.read()
        else:
            text = os.fspath(data)
        self.html = self._styled(text if isinstance(text, str) else text.decode()) if inject else text if isinstance(text, str) else text.decode()

    def _styled(self, text: str) -> str:
        for place, opening, closing in (("<head>", "<head>", ""), ("<html>", "<html><head>", "</head>")):
            before, found, behind = text.partition(place)
            if found:
                return (before + opening + self.STYLE + closing + behind).strip()
        return (self.STYLE + text).strip()

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        run._page(key, self.html, step)


class Plotly(media.Figure):
    """A figure of Plotly or matplotlib, as it is now."""

    def __init__(self, val: Any) -> None:
        super().__init__(val.to_json() if hasattr(val, "to_json") else val)
