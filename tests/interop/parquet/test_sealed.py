"""A sealed run in DuckDB, pyarrow and pandas (ClickHouse in the full run): rows, sums and NaN counts.

TAFFRAIL_SEAL_SAMPLE names the program that seals one (else it is looked for in TAFFRAIL_BUILD); what it logged is computed
here again.
"""

import math
import os
import subprocess

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest

BUILT = os.path.join(os.environ.get("TAFFRAIL_BUILD", ""), "tests", "seal", "seal_sample")
PROGRAM = os.environ.get("TAFFRAIL_SEAL_SAMPLE") or (BUILT if os.path.exists(BUILT) else None)
WIDE = ["epoch#2", "train/acc", "train/loss"]  # "epoch" is an axis, so the series of that name has another column


def steps_of_wide():
    """20 rounds of 10,000 rows, 10 lone values, 2 other values; steps count on through all of them."""
    return [round_ * 10_012 + i for round_ in range(20) for i in range(10_000)]


def value(column, step):
    return math.nan if step % 100 == 7 else (step % 1024 + column) / 1024


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    assert PROGRAM, "TAFFRAIL_SEAL_SAMPLE names the program that writes the runs"
    folder = tmp_path_factory.mktemp("sealed")
    subprocess.run([PROGRAM, str(folder)], check=True, timeout=300)
    return folder / "data"


@pytest.fixture(scope="session")
def wide(data):
    return next(path for path in data.glob("*.parquet") if not path.name.startswith(("long-", "values-")))


@pytest.fixture(scope="session")
def long(data):
    return next(data.glob("long-*.parquet"))


def test_wide_table_holds_every_row(wide):
    table = pyarrow.parquet.read_table(wide, page_checksum_verification=True)
    steps = steps_of_wide()
    assert table["step"].to_pylist() == steps
    assert table.column_names[-3:] == WIDE
    assert set(table["writer"].to_pylist()) == {0xFEDCBA9876543210}
    assert set(table["rank"].to_pylist()) == {3}
    assert set(table["phase"].to_pylist()) == {"train"}
    assert table["epoch"].null_count == len(steps)
    for name, column in [("train/loss", 0), ("train/acc", 1), ("epoch#2", 2)]:
        values = table[name].to_pylist()
        assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(values, (value(column, s) for s in steps), strict=True))


def test_duckdb_sums_and_counts(wide, long):
    steps = steps_of_wide()
    expected = [value(0, step) for step in steps]
    rows, nans, total = duckdb.sql(
        f"""select count(*), count(*) filter (isnan("train/loss")), sum("train/loss") filter (not isnan("train/loss")) from '{wide}'"""
    ).fetchall()[0]
    assert rows == len(steps)
    assert nans == sum(map(math.isnan, expected))
    assert total == pytest.approx(math.fsum(v for v in expected if not math.isnan(v)), rel=1e-12)
    assert duckdb.sql(f"select key, count(*) from '{long}' group by key order by key").fetchall() == [("lr", 100), ("val/loss", 100)]


def test_values_are_a_table_too(data):
    table = pyarrow.parquet.read_table(next(data.glob("values-*.parquet")))
    assert table.num_rows == 40
    histograms = [row for row in table.to_pylist() if row["kind"] == "histogram"]
    assert histograms[0]["edges"] == [0, 0.75, 1.5, 2.25, 3]
    assert histograms[0]["counts"] == [1, 1, 1, 1]
    assert [row["text"] for row in table.to_pylist() if row["key"] == "diary"] == [f"entry {i}" for i in range(20)]


def test_pandas_reads_the_whole_folder(data):
    frames = [pandas.read_parquet(path) for path in data.glob("*.parquet")]
    assert sum(map(len, frames)) == 200_000 + 200 + 40


def test_clickhouse_agrees(wide):
    import chdb  # the full run alone installs it

    expected = [value(0, step) for step in steps_of_wide()]
    answer = chdb.query(f"select count(), countIf(isNaN(`train/loss`)), sumIf(`train/loss`, not isNaN(`train/loss`)) from file('{wide}', Parquet)", "CSV")
    rows, nans, total = str(answer).strip().split(",")
    assert int(rows) == len(expected)
    assert int(nans) == sum(map(math.isnan, expected))
    assert float(total) == pytest.approx(math.fsum(v for v in expected if not math.isnan(v)), rel=1e-12)
