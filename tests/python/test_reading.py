"""Reading: NumPy, pandas, Polars and Arrow get the points that were logged, Arrow without a copy."""

import pytest
import taffrail

np = pytest.importorskip("numpy")
COUNT = 150_000  # three chunks


@pytest.fixture
def past(root):
    with taffrail.init(name="n") as run:
        row = run.row("a", "b")
        for step in range(COUNT):
            row.log(step, step * 0.5, float("nan") if step % 7 == 0 else -step)
        run.set_epoch(2.0)
        run.log({"late": 1.0, "said": "text"}, step=1)
    return taffrail.read(root).run("n")


def test_numpy_sees_every_point(past):
    series = past.read("a", ["step", "value", "time"])
    assert len(series) == COUNT and series.damage == []
    assert (series.step == np.arange(COUNT)).all() and (series.value == np.arange(COUNT) * 0.5).all()
    assert (np.diff(series.time_ns) >= 0).all()
    assert np.isnan(past["b"].value[::7]).all()
    assert past.read("a", from_=10, to=12).value.tolist() == [5.0, 5.5, 6.0]
    assert past.read("a", backwards=True).step[:2].tolist() == [COUNT - 1, COUNT - 2]
    with pytest.raises(ValueError, match="not read"):
        series.column("rank")
    with pytest.raises(ValueError, match="no column"):
        past.read("a", ["steps"])
    with pytest.raises(taffrail.NotFoundError, match="no key 'c'"):
        past.read("c")
    with pytest.raises(taffrail.NotFoundError, match=r"'said' holds no numbers, but text: entries\('said'\) gives them"):
        past.read("said")


def test_arrow_shares_the_memory(past):
    pyarrow = pytest.importorskip("pyarrow")
    series = past.read("a", ["step", "value", "time", "epoch"])
    table = series.to_arrow()
    assert table.num_rows == COUNT and table["value"].num_chunks == 3
    assert table.schema.field("time").type == pyarrow.timestamp("ns", tz="UTC") and table["epoch"].null_count == COUNT
    again = series.to_arrow()
    assert table["value"].chunk(0).buffers()[1].address == again["value"].chunk(0).buffers()[1].address
    del series, again
    assert table["value"].to_numpy().tolist() == (np.arange(COUNT) * 0.5).tolist()
    assert pyarrow.schema(past.read("late", ["rank", "phase", "writer", "seq", "attempt", "samples"])).names == ["samples", "rank", "attempt", "phase", "writer", "seq"]
    assert past.read("late", ["epoch"]).to_arrow()["epoch"].to_pylist() == [2.0]


def test_pandas_and_polars(past):
    pandas = pytest.importorskip("pandas")
    frame = past.read("late", ["step", "time", "value", "samples"]).to_pandas()
    assert frame["value"].tolist() == [1.0] and frame["samples"].isna().all() and str(frame["time"].dt.tz) == "UTC"
    assert isinstance(frame, pandas.DataFrame)
    wide = past.to_pandas(["a", "late"])
    assert len(wide) == COUNT and wide["late"].dropna().tolist() == [1.0]
    polars = pytest.importorskip("polars")
    assert past["a"].to_polars()["value"].sum() == polars.Series(np.arange(COUNT) * 0.5).sum()


def test_catalogues_and_live_runs(root):
    run = taffrail.init(name="live")
    run.log({"a": 1.0}, step=0)
    run.flush()
    catalogue = taffrail.read(root)
    past = catalogue.run("live")
    assert past["a"].value.tolist() == [1.0] and past.info.state == "running"
    run.log({"a": 2.0}, step=1)
    run.flush()
    assert past.refresh() and past["a"].value.tolist() == [1.0, 2.0]
    run.finish()
    assert [info.name for info in catalogue.runs()] == ["live"] and len(list(catalogue)) == 1 and catalogue.unreadable() == []


def test_without_numpy_columns_are_views(program):
    done = program("""
        import sys
        sys.modules["numpy"] = None
        import taffrail
        with taffrail.init(name="n") as run:
            run.log({"a": 1.5, "b": taffrail.Histogram([1.0, 2.0])}, step=4)
            run.log_mesh("m", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
            assert run.stats["errors"] == 0
        series = taffrail.read().run("n")["a"]
        print(list(series.value), list(series.step))
    """)
    assert done.stdout == "[1.5] [4]\n"
