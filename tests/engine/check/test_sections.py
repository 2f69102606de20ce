"""Files of good writers leave no byte of a page over; fastparquet's padding is a note, and readers skip it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import ours, parquet
from needs import needs_pyarrow

import pqexplore

duckdb = pytest.importorskip("duckdb")
pl = pytest.importorskip("polars")

RULES = {"leftover-bytes", "leftover-values", "needless-levels", "zero-padding", "delta-block-size"}
RANDOM = np.random.default_rng(3)
COUNT = 700
TABLE = pa.table(
    {
        "few": pa.array(RANDOM.integers(0, 3, COUNT), mask=RANDOM.random(COUNT) < 0.3),
        "many": RANDOM.integers(0, 1 << 40, COUNT),
        "sorted": np.repeat(np.arange(COUNT // 7, dtype=np.int32), 7),
        "flag": pa.array(RANDOM.random(COUNT) < 0.5, mask=RANDOM.random(COUNT) < 0.1),
        "float": RANDOM.random(COUNT).astype(np.float32),
        "text": [None if i % 5 == 0 else f"name {i % 90}" for i in range(COUNT)],
        "list": [[i, None][: i % 3] if i % 4 else None for i in range(COUNT)],
        "null": pa.nulls(COUNT, pa.int32()),
    }
)


def by_us(**options):
    return ours(TABLE, pqexplore.WriteOptions(page_rows=99, **options))


def arrow(**options):
    return parquet(TABLE, data_page_size=300, write_batch_size=50, **options)


def polars(path, **options):
    pl.from_arrow(TABLE).write_parquet(path, data_page_size=300, **options)
    return path.read_bytes()


def duck(path, options=""):
    table = TABLE.drop_columns(["null"])
    with duckdb.connect() as connection:
        connection.register("t", table)
        connection.sql(f"COPY t TO '{path}' (FORMAT parquet{options})")
    return path.read_bytes()


DELTA = {"many": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY", "float": "BYTE_STREAM_SPLIT"}
WRITERS = {
    "ours": lambda _: by_us(),
    "ours in V2": lambda _: by_us(page_version=2, codec="ZSTD"),
    "ours with BIT_PACKED levels": lambda _: by_us(encoding="PLAIN", level_encoding="BIT_PACKED"),
    "arrow": lambda _: arrow(),
    "arrow in V2": lambda _: arrow(data_page_version="2.0", compression="zstd"),
    "arrow with deltas": lambda _: arrow(use_dictionary=False, column_encoding=DELTA),
    "polars": lambda path: polars(path),
    "polars plain": lambda path: polars(path, compression="uncompressed"),
}


@pytest.mark.parametrize("name", WRITERS)
@needs_pyarrow(15, "polars wants a newer one")
def test_good_writers_leave_nothing_over(name, tmp_path):
    with pqexplore.open(WRITERS[name](tmp_path / "t.parquet")) as file:
        assert [one for one in file.check() if one.rule in RULES] == []
        sections = [
            (page, section.name) for chunk in file.chunks() for page in chunk.pages for section in page.body.sections
        ]
        assert len(sections) > 7
        assert [page.leftovers(section) for page, section in sections if page.leftovers(section)] == []


@pytest.mark.parametrize("options", ["", ", parquet_version v2"])
@needs_pyarrow(15, "duckdb wants a newer one")
def test_duckdb_fills_bit_packed_runs_up_to_256_values(options, tmp_path):
    with pqexplore.open(duck(tmp_path / "t.parquet", options)) as file:
        [found] = [one for one in file.check() if one.rule in RULES]
        assert (found.rule, found.severity.level) == ("leftover-values", "note")
        assert "the last bit-packed run has 32 groups of eight values, and 8 of them are left over" in found.message
        assert file.node(found.address).kind == "leftover"
        page = file.row_groups[0].columns["few"].pages[1]
        last = page.structure("definition_levels").steps[3]
        assert (page.num_values, last.first + 256) == (700, 768)
        rows = file.read()
    assert rows.column("few").to_pylist() == TABLE.column("few").to_pylist()


def test_the_padding_of_fastparquet_is_one_note_and_readers_skip_it(tmp_path):
    fastparquet = pytest.importorskip("fastparquet")
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"n": [1, 2, 3], "x": [0.5, 1.5, 2.5], "s": ["a", "b", "c"]})
    fastparquet.write(path, frame)
    with pqexplore.open(path) as file:
        [padding] = [one for one in file.check() if one.rule in RULES]
        assert (padding.rule, padding.severity.level) == ("zero-padding", "note")
        assert [
            bytes(file.bytes(span))
            for chunk in file.chunks()
            for page in chunk.pages
            for span in page.leftovers().values()
        ] == [bytes(8)] * 3
        rows = file.read().to_pylist()
    assert rows == frame.to_dict("records") == pq.read_table(path).to_pylist()
    assert rows == pl.read_parquet(path).to_dicts()
    with duckdb.connect() as connection:
        assert rows == connection.sql(f"FROM '{path}'").to_arrow_table().to_pylist()
