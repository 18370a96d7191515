"""Files of our Parquet writer, read by pyarrow, DuckDB and pandas (and ClickHouse in the full run).

TAFFRAIL_PARQUET_SAMPLE names the program that writes them. The expected values are computed here, independently.
"""

import math
import os
import subprocess

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest

PROGRAM = os.environ.get("TAFFRAIL_PARQUET_SAMPLE")
ROWS = 100_000
SPECIALS = {7: math.nan, 8: math.inf, 9: -math.inf, 10: -0.0, 11: 5e-324}


def float32(value):
    import struct

    return struct.unpack("f", struct.pack("f", value))[0]


def loss(i):
    if i % 13 == 5:
        return None
    return SPECIALS.get(i % 1000, None) if i % 1000 in SPECIALS else float32(i % 977 / 977.0)


def time_ns(i):
    return 1_700_000_000_000_000_000 + i * 1_000_003 + (i * i) % 997


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    assert PROGRAM, "TAFFRAIL_PARQUET_SAMPLE names the program that writes the files"
    path = tmp_path_factory.mktemp("parquet")
    subprocess.run([PROGRAM, str(path)], check=True, timeout=120)
    return path


@pytest.fixture(scope="session")
def expected():
    return [loss(i) for i in range(ROWS)]


def same(a, b):
    if a is None or b is None:
        return a is b
    return math.isnan(a) and math.isnan(b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@pytest.mark.parametrize("name", ["standard", "compat"])
def test_pyarrow_reads_every_value(folder, expected, name):
    table = pyarrow.parquet.read_table(folder / f"{name}.parquet", page_checksum_verification=True)
    assert table.num_rows == ROWS
    assert table["step"].to_pylist() == [i * 10 - 1000 for i in range(ROWS)]
    assert table["time"].type == pyarrow.timestamp("ns", tz="UTC")
    assert table["time"].cast(pyarrow.int64()).to_pylist() == [time_ns(i) for i in range(ROWS)]
    assert table["writer"].to_pylist() == [2**64 - 1 - i % 3 for i in range(ROWS)]
    assert table["rank"].to_pylist() == [i % 8 - 1 for i in range(ROWS)]
    assert table["key"].to_pylist() == [f"key/{i % 50}/\N{SHIP}" for i in range(ROWS)]
    assert table["text"].to_pylist() == [None if i % 4 == 0 else f"text {i}" for i in range(ROWS)]
    assert table["counts"].to_pylist() == [[float(i * j) for j in range(i % 4)] for i in range(ROWS)]
    assert all(same(a, b) for a, b in zip(table["loss"].to_pylist(), expected, strict=True))


@pytest.mark.parametrize("name", ["standard", "compat"])
def test_duckdb_agrees_on_rows_sums_and_nans(folder, expected, name):
    query = f"""select count(*), count(loss), count(*) filter (isnan(loss)), sum(loss) filter (isfinite(loss)),
                       sum(step), sum(rank), count(distinct key), count(text), sum(len(counts)), max(epoch_ns(time))
                from '{folder}/{name}.parquet'"""
    rows, values, nans, total, steps, ranks, keys, texts, counts, newest = duckdb.sql(query).fetchall()[0]
    present = [v for v in expected if v is not None]
    finite = [v for v in present if math.isfinite(v)]
    assert rows == ROWS
    assert values == len(present)
    assert nans == sum(math.isnan(v) for v in present)
    assert total == pytest.approx(math.fsum(finite), rel=1e-12)
    assert steps == sum(i * 10 - 1000 for i in range(ROWS))
    assert ranks == sum(i % 8 - 1 for i in range(ROWS))
    assert keys == 50
    assert texts == ROWS - ROWS // 4
    assert counts == sum(i % 4 for i in range(ROWS))
    assert newest == time_ns(ROWS - 1)


def test_pandas_reads_a_frame(folder):
    frame = pandas.read_parquet(folder / "standard.parquet")
    assert len(frame) == ROWS
    assert frame["step"].iloc[-1] == (ROWS - 1) * 10 - 1000
    assert str(frame["time"].dtype) == "datetime64[ns, UTC]"


@pytest.mark.parametrize(("name", "rows"), [("one_row", 1), ("empty", 0)])
def test_small_files_open(folder, name, rows):
    assert pyarrow.parquet.read_table(folder / f"{name}.parquet").num_rows == rows
    assert duckdb.sql(f"select count(*) from '{folder}/{name}.parquet'").fetchall()[0] == (rows,)


@pytest.mark.parametrize("name", ["standard", "compat"])
def test_clickhouse_agrees(folder, expected, name):
    import chdb  # the full run alone installs it

    query = f"""select count(), countIf(isNotNull(loss)), countIf(isNaN(loss)), sumIf(loss, isFinite(loss)), sum(step)
                from file('{folder}/{name}.parquet', Parquet)"""
    rows, values, nans, total, steps = str(chdb.query(query, "CSV")).strip().split(",")
    present = [v for v in expected if v is not None]
    assert int(rows) == ROWS
    assert int(values) == len(present)
    assert int(nans) == sum(math.isnan(v) for v in present)
    assert float(total) == pytest.approx(math.fsum(v for v in present if math.isfinite(v)), rel=1e-12)
    assert int(steps) == sum(i * 10 - 1000 for i in range(ROWS))
