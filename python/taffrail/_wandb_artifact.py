"""Artifacts by the words of the W&B client: files under a name and a type."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taffrail._run import Run


def _remove_own(folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked child that ends leaves its parent's alone
        shutil.rmtree(folder, True)


class Artifact:
    """Files under a name and a type: add_file(), add_dir() and new_file(), then run.log_artifact()."""

    def __init__(self, name: str, type: str, description: str | None = None, metadata: dict[str, Any] | None = None, incremental: bool = False, use_as: str | None = None) -> None:
        self.name, self.type, self.description, self.metadata = name, type, description or "", dict(metadata or {})
        self._files: list[tuple[str, str]] = []
        self._made = ""  # the folder of files that new_file() made

    def __getattr__(self, name: str) -> Any:
        from taffrail._wandb_run import lacks

        if name.startswith("_"):
            raise AttributeError(name)
        raise lacks("an artifact of taffrail.wandb", name, ["add_dir", "add_file", "description", "metadata", "name", "new_file", "type", "wait"])

    def add_file(self, local_path: str | os.PathLike[str], name: str | None = None, is_tmp: bool | None = False) -> None:
        path = os.fspath(local_path)
        if not os.path.isfile(path):
            raise ValueError(f"Path is not a file: {path!r}")
        self._add(path, name or os.path.basename(path))

    def _add(self, path: str, inside: str) -> None:
        """A later file of a name takes the place of an earlier one."""
        self._files = [known for known in self._files if known[1] != inside] + [(path, inside)]

    def add_dir(self, local_path: str | os.PathLike[str], name: str | None = None) -> None:
        folder = os.fspath(local_path)
        if not os.path.isdir(folder):
            raise ValueError(f"Path is not a directory: {folder!r}")
        for parent, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                path = os.path.join(parent, file)
                inside = os.path.relpath(path, folder)
                self._add(path, os.path.join(name, inside) if name else inside)

    @contextmanager
    def new_file(self, name: str, mode: str = "x", encoding: str | None = None) -> Iterator[Any]:
        """For a with statement: a file of the artifact to write to."""
        if not self._made:
            self._made = tempfile.mkdtemp(prefix="taffrail-")
            weakref.finalize(self, _remove_own, self._made, os.getpid())
        path = os.path.join(self._made, str(len(os.listdir(self._made))), os.path.basename(name))
        os.makedirs(os.path.dirname(path))
        with open(path, mode.replace("x", "w"), encoding=encoding or (None if "b" in mode else "utf-8")) as file:
            yield file
        self._add(path, name)

    def wait(self, timeout: int | None = None) -> Artifact:
        """Nothing to wait for: what was logged is kept when log_artifact() returns."""
        return self

    def _log_to(self, run: Run, key: str, step: int | None) -> None:
        metadata = {**self.metadata, **({"description": self.description} if self.description else {})}
        with tempfile.TemporaryDirectory() as folder:
            for path, inside in self._files:
                place = os.path.normpath(os.path.join(folder, inside))
                if not place.startswith(folder + os.sep):
                    raise ValueError(f"'{inside}' leads out of the artifact")
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copyfile(path, place)
            run.log_artifact(self.name, folder, type=self.type, metadata=metadata)
            run.flush()  # the files are read when it returns
