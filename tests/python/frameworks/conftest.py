"""Frameworks are heavy: these tests run in the environment that has them, with the package from the wheel."""

import pytest


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("TAFFRAIL_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("TAFFRAIL_ENVIRONMENT", "0")
    monkeypatch.setenv("TAFFRAIL_MACHINE_LOAD", "off")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"
