"""What other choices would make of a file: held against files that are then written."""

import dataclasses
import io
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.what_if.what_if_cases import NESTED, NULLS, NUMBERS, TABLES, TEXT, TYPED
from made import ours, parquet
from needs import ANY_BYTE_STREAM_SPLIT

import pqexplore
from pqexplore.engine.errors import EncryptedFileError, UsageError
from pqexplore.engine.file.footer_tail import TAIL
from pqexplore.engine.writer.rewriting import planned
from pqexplore.insight.what_if import measure

OPTIONS = {
    "defaults": {},
    "zstd": {"codec": "ZSTD", "codec_level": 9, "encoding": "PLAIN"},
    "small pages": {"page_rows": 100, "page_version": 2, "codec": "GZIP"},
    "row groups across those of the file": {"row_group_rows": 700, "bloom_filter": True},
    "no indexes": {"column_index": False, "offset_index": False, "statistics": ()},
}


def written(table, **options):
    return parquet(table, **({"row_group_size": 1_000} | options))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", TABLES)
def test_a_prediction_is_the_size_of_the_file_that_is_written(name, options, tmp_path):
    data = written(TABLES[name])
    chosen = pqexplore.WriteOptions(**OPTIONS[options])
    trial = pqexplore.what_if(data, columns=[TABLES[name].column_names[0]])
    predicted = trial.predict(chosen)
    target = tmp_path / "new.parquet"
    with pqexplore.open(data) as file:
        plan = pqexplore.rewrite(file, target, chosen, verify=False)
    report = pqexplore.diagnose(target, level="footer")
    assert predicted.findings == report.findings
    assert predicted.diagnosis == report.sentence
    assert not predicted.sampled and predicted.error == 0
    assert predicted.size == os.path.getsize(target) == plan.size
    for row, column in zip(predicted.columns.to_pylist(), plan.columns, strict=False):
        assert row["column"] == ".".join(column.path)
        assert row["bytes"] == (column.compressed + column.column_index + column.offset_index + column.bloom_filter)


@pytest.mark.parametrize("name", TABLES)
def test_each_row_of_the_table_is_the_size_of_the_column_that_is_written(name):
    data = written(TABLES[name])
    trial = pqexplore.what_if(data)
    rows = trial.table.to_pylist()
    assert {row["column"] for row in rows} == {one.path for one in trial.columns}
    assert not any(row["sampled"] or row["error"] for row in rows)
    with pqexplore.open(data) as file:
        for row in rows[::7]:
            columns = {row["column"]: {"encoding": row["encoding"], "codec": row["codec"], "codec_level": row["level"]}}  # fmt: skip
            options = pqexplore.WriteOptions(columns=columns, row_group_rows=1_000)
            plan = planned(file, options)
            sizes = {".".join(one.path): one.compressed for one in plan.columns}
            assert row["bytes"] == sizes.get(row["column"], 0), row
            today = sum(g.columns[row["column"]].metadata.total_compressed_size for g in file.row_groups)  # fmt: skip
            assert row["today"] == today
            assert row["ratio"] == (row["bytes"] / today if today else None)


@pytest.mark.parametrize("name", TABLES)
@ANY_BYTE_STREAM_SPLIT
def test_the_best_is_the_smallest_that_the_engines_read_and_not_larger_than_today(name, tmp_path):
    data = written(TABLES[name])
    trial = pqexplore.what_if(data)
    for column in trial.columns:
        rows = [row for row in trial.table.to_pylist() if row["column"] == column.path]
        [best] = [row for row in rows if row["best"]]
        assert best["unread_by"] == []
        assert best["bytes"] == min(row["bytes"] for row in rows if not row["unread_by"])
    target = tmp_path / "best.parquet"
    with pqexplore.open(data) as file:
        plan = pqexplore.rewrite(file, target, trial.best)
        groups = [group.num_rows for group in file.row_groups if group.num_rows]
    bests = {row["column"]: row["bytes"] for row in trial.table.to_pylist() if row["best"]}
    assert {".".join(one.path): one.compressed for one in plan.columns} == (bests if plan.chunks else {})  # fmt: skip
    assert sum(bests.values()) <= sum(one.today for one in trial.columns)
    assert pq.read_table(target).equals(pq.read_table(io.BytesIO(data)))
    with pqexplore.open(target) as new:
        assert [group.num_rows for group in new.row_groups] == groups


def test_a_prediction_with_new_types_is_the_size_of_the_file_that_is_written(tmp_path):
    data = written(TYPED)
    trial = pqexplore.what_if(data)
    types = {"day": "date32", "id": "uuid", "n": "int32"}
    assert {trial.best.column((name,)).encoding for name in types} - {8}  # not only dictionaries
    for options in (None, pqexplore.WriteOptions(codec="ZSTD")):
        predicted = trial.predict(options, types=types)
        chosen = options or dataclasses.replace(trial.best, columns={
            path: given if path not in types else {"codec": given["codec"]}
            for path, given in trial.best.columns.items()
        })  # fmt: skip
        with pqexplore.open(data) as file:
            pqexplore.rewrite(file, tmp_path / "new.parquet", chosen, types=types, overwrite=True)
        assert predicted.size == os.path.getsize(tmp_path / "new.parquet")
        assert not predicted.sampled and predicted.size != trial.predict(options).size


def test_what_the_diagnosis_would_say_is_not_known_of_an_estimate_or_an_encrypted_file():
    encrypted = pqexplore.WriteOptions(encryption=pqexplore.Encryption(b"k" * 16))
    trial = pqexplore.what_if(written(NUMBERS))
    assert trial.predict(encrypted).findings is None
    assert trial.predict(encrypted).diagnosis is None
    tight = pqexplore.what_if(written(NUMBERS), budget=pqexplore.Budget(bytes=1 << 14)).predict()
    assert tight.sampled and tight.findings is None


def test_the_diagnosis_of_a_large_file_needs_the_end_of_it(tmp_path):
    large = pa.table({"a": NUMBERS["noise"].take(list(range(len(NUMBERS))) * 20)})
    trial = pqexplore.what_if(written(large))
    options = pqexplore.WriteOptions(encoding="PLAIN", row_group_rows=2_000, statistics=())
    predicted = trial.predict(options)
    assert predicted.size > 3 * TAIL
    with pqexplore.open(written(large)) as file:
        pqexplore.rewrite(file, tmp_path / "new.parquet", options)
    report = pqexplore.diagnose(tmp_path / "new.parquet", level="footer")
    assert predicted.findings == report.findings
    assert "small-row-groups" in {one.rule for one in predicted.findings}


@pytest.mark.parametrize("name", [name for name in TABLES if name != "no rows"])
def test_the_best_choice_is_decoded_and_others_are_not(name):
    trial = pqexplore.what_if(written(TABLES[name]))
    rows = trial.table.to_pylist()
    for column in trial.columns:
        own = [row for row in rows if row["column"] == column.path]
        assert all(row["decode_seconds"] > 0 for row in own if row["best"])
        assert any(row["decode_seconds"] is None for row in own)


def test_what_is_decoded_is_the_chunk(monkeypatch):
    seen = []
    real = measure.decode_chunk
    monkeypatch.setattr(measure, "decode_chunk", lambda chunk: seen.append(real(chunk)))
    pqexplore.what_if(written(NESTED, row_group_size=5_000), columns=["tags"])
    with pqexplore.open(written(NESTED, row_group_size=5_000)) as file:
        asked = real(file.row_groups[0].columns["tags.list.element"])
    assert len(seen) == 3
    for one in seen:
        assert one.physical.equals(asked.physical)
        assert list(one.repetition_levels) == list(asked.repetition_levels)


def test_the_best_of_consecutive_numbers_is_delta():
    trial = pqexplore.what_if(written(NUMBERS), columns=["id"])
    assert trial.best.column(("id",)).encoding == 5
    assert trial.columns[0].best.encoding_name == "DELTA_BINARY_PACKED"
    # Columns that were not tried keep their codec.
    assert trial.best.column(("noise",)).codec == 1


READ_BY_ALL = {"PLAIN", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"}


def test_what_an_engine_does_not_read_is_tried_and_not_chosen():
    rows = pqexplore.what_if(written(NUMBERS), columns=["price"]).table.to_pylist()
    unread = {row["encoding"]: row["unread_by"] for row in rows if row["codec"] == "SNAPPY"}
    assert unread.pop("ALP") == ["pyarrow", "DuckDB", "polars", "Spark"]
    assert set(unread) == READ_BY_ALL - {"DELTA_BINARY_PACKED"} and not any(unread.values())
    assert {tuple(row["unread_by"]) for row in rows if row["codec"] == "BROTLI"} > {("Spark",)}


def test_a_larger_dictionary_is_tried_where_the_first_is_too_small():
    large = pa.table({"a": [f"{'x' * 400}{i % 4_000}" for i in range(8_000)]})
    trial = pqexplore.what_if(written(large, row_group_size=8_000))
    limits = {row["dictionary_bytes"] for row in trial.table.to_pylist()}
    assert limits == {None, 1 << 20, 16 << 20}
    assert {r["dictionary_bytes"] for r in pqexplore.what_if(written(TEXT)).table.to_pylist()} == {None, 1 << 20}  # fmt: skip


def test_columns_are_leaves_or_groups():
    assert [one.path for one in pqexplore.what_if(written(NESTED), columns=["s"]).columns] == ["s.x", "s.y"]  # fmt: skip
    with pytest.raises(UsageError, match="no column 'prize'"):
        pqexplore.what_if(written(NUMBERS), columns=["prize"])


def test_a_damaged_column_costs_only_itself():
    data = bytearray(written(NULLS, compression="none"))
    chunk = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(1).column(0)
    start = chunk.dictionary_page_offset
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    trial = pqexplore.what_if(bytes(data))
    assert list(trial.untried) == ["some"]
    assert set(trial.table["column"].to_pylist()) == {"all", "flag"}
    assert "row_groups/1/columns/0" in trial.untried["some"]


def test_an_encrypted_column_costs_only_itself(tmp_path):
    path = tmp_path / "encrypted.parquet"
    options = pqexplore.WriteOptions(
        encryption=pqexplore.Encryption(b"k" * 16, {"id": b"c" * 16}, plaintext_footer=True)
    )
    pqexplore.write(NUMBERS, path, options)
    trial = pqexplore.what_if(path)
    assert list(trial.untried) == ["id"]
    assert {one.path for one in trial.columns if one.best} == {"price", "small", "noise"}
    with pytest.raises(EncryptedFileError):
        trial.predict()
    keys = pqexplore.Decryption(footer_key=b"k" * 16, column_keys={"id": b"c" * 16})
    assert not pqexplore.what_if(path, decryption=keys).untried


def test_a_file_without_row_groups():
    trial = pqexplore.what_if(ours(NUMBERS.slice(0, 0)), columns=["id"])
    assert trial.untried == {"id": "the file has no row groups"}
    assert (trial.table.num_rows, trial.sentence) == (0, "No column was tried. 1 column could not be tried.")  # fmt: skip
    assert not trial.predict().sampled
    assert trial.code["pyarrow"].bytes == 0


def test_a_codec_that_nobody_knows_costs_only_its_column():
    with pqexplore.open(written(NUMBERS)) as file:
        file.row_groups[0].columns["id"].metadata.codec = 77
        trial = pqexplore.what_if(file)
        assert "77" in trial.untried["id"] and len(trial.untried) == 1
        assert trial.best.column(("id",)).codec == pqexplore.WriteOptions().codec
