"""The media classes of `taffrail.wandb`: the arguments of W&B's, the values of ours."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
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
        elif isinstance(value, (list, tuple)) and not (value and all(hasattr(part, "_log_to") for part in value)):
            found[name] = media.Text(media._json(value), plain=True)
        elif (_arrays._elements(value) or 1) > 1 and _arrays.package_of(value) not in ("PIL", "pandas"):
            array = _arrays.numpy_array(value)
            found[name] = Histogram(array, num_bins=LONGEST_ARRAY) if array.size > LONGEST_ARRAY else media.Text(media._json(array.tolist()), plain=True)
        else:
            found[name] = value
    return found


class Image(media.Image):
    """wandb.Image: arrays are channels-last, floats 0…1; torch tensors channels-first. `masks` and `boxes` have no place and are refused."""

    def __init__(self, data_or_path: object, mode: str | None = None, caption: str | None = None, grouping: int | None = None, classes: object = None,
                 boxes: object = None, masks: object = None, file_type: str | None = None, normalize: bool = True) -> None:
        if boxes is not None or masks is not None:
            raise NotImplementedError("boxes and masks of wandb.Image have no place here; draw them into the picture")
        if isinstance(data_or_path, Image):
            data_or_path, caption = data_or_path.data, caption or data_or_path.caption
        is_tensor = hasattr(data_or_path, "detach")
        if mode is not None and type(data_or_path).__module__.startswith("PIL"):
            data_or_path = data_or_path.convert(mode)  # type: ignore[attr-defined]
        super().__init__(data_or_path, caption, layout="chw" if is_tensor and len(data_or_path.shape) > 2 else None)  # type: ignore[attr-defined]


class Audio(media.Audio):
    def __init__(self, data_or_path: object, sample_rate: int | None = None, caption: str | None = None) -> None:
        if sample_rate is None and not isinstance(data_or_path, (str, os.PathLike)):
            raise ValueError("Argument \"sample_rate\" is required when instantiating wandb.Audio with raw data.")
        super().__init__(data_or_path, sample_rate or 44100, caption)


class Video(media.Video):
    """Frames are T×C×H×W, or N×T×C×H×W with the videos side by side."""

    def __init__(self, data_or_path: object, caption: str | None = None, fps: int | None = None, format: str | None = None) -> None:
        if not isinstance(data_or_path, (str, os.PathLike)):
            frames = _arrays.numpy_array(data_or_path)
            if frames.ndim == 5:
                frames = frames.transpose(1, 2, 3, 0, 4).reshape(frames.shape[1], frames.shape[2], frames.shape[3], -1)
            data_or_path = frames
        super().__init__(data_or_path, float(fps or 4), caption, layout="chw")


class Histogram(media.Histogram):
    def __init__(self, sequence: object = None, np_histogram: tuple[object, object] | None = None, num_bins: int = 64) -> None:
        if num_bins > 512:
            raise ValueError("The maximum length of a histogram is 512")
        super().__init__(list(sequence) if isinstance(sequence, Sequence) else sequence, num_bins, np_histogram=np_histogram)


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
        for row, value in zip(self.rows, data, strict=True):
            row.append(value)

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
            points = _arrays.numpy_array(data_or_path)
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
    def __init__(self, val: object) -> None:
        super().__init__(val)


class Artifact:
    """Files under a name and a type: add_file() and add_dir(), then run.log_artifact()."""

    def __init__(self, name: str, type: str, description: str | None = None, metadata: dict[str, Any] | None = None, incremental: bool = False, use_as: str | None = None) -> None:
        self.name, self.type, self.description, self.metadata = name, type, description or "", dict(metadata or {})
        self._files: list[tuple[str, str]] = []

    def add_file(self, local_path: str | os.PathLike[str], name: str | None = None, is_tmp: bool | None = False) -> None:
        path = os.fspath(local_path)
        if not os.path.isfile(path):
            raise ValueError(f"Path is not a file: {path!r}")
        self._files.append((path, name or os.path.basename(path)))

    def add_dir(self, local_path: str | os.PathLike[str], name: str | None = None) -> None:
        folder = os.fspath(local_path)
        if not os.path.isdir(folder):
            raise ValueError(f"Path is not a directory: {folder!r}")
        for parent, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                path = os.path.join(parent, file)
                inside = os.path.relpath(path, folder)
                self._files.append((path, os.path.join(name, inside) if name else inside))

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        import shutil
        import tempfile

        metadata = {**self.metadata, **({"description": self.description} if self.description else {})}
        with tempfile.TemporaryDirectory() as folder:
            for path, inside in self._files:
                place = os.path.join(folder, inside)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copyfile(path, place)
            run.log_artifact(self.name, folder, type=self.type, metadata=metadata)
            run.flush()  # the files are read when it returns
