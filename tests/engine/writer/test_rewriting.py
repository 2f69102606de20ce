"""A file written anew keeps its schema, its key-values and its values, whatever the choices are."""

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.writer import rewriting
from pqexplore.engine.writer.samples import SAMPLES, write_sample

ROWS = 1_000
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int32()),
        "price": [None if i % 7 == 0 else i / 3 for i in range(ROWS)],
        "tags": [[] if i % 3 else ["a", None, f"t{i % 5}"] for i in range(ROWS)],
        "s": [{"x": i, "y": None if i % 2 else f"y{i}"} for i in range(ROWS)],
        "nan": pa.array([np.nan, -0.0, 0.0, None] * (ROWS // 4), pa.float32()),
    }
)


@pytest.fixture
def source(tmp_path):
    """A file of pyarrow in four row groups, with key-value metadata."""
    path = tmp_path / "source.parquet"
    metadata = {b"note": b"keep me"}
    pq.write_table(TABLE.replace_schema_metadata(metadata), path, row_group_size=300)
    return path


CHOICES = {
    "as it is": None,
    "defaults": {},
    "codec": {"codec": "ZSTD", "codec_level": 9},
    "encodings": {"encodings": {"id": "DELTA_BINARY_PACKED", "price": "BYTE_STREAM_SPLIT"}},
    "larger row groups": {"row_group_rows": 5_000},
    "row groups across those of the file": {"row_group_rows": 170},
    "V2 pages of few rows": {"page_version": 2, "page_rows": 13},
    "Bloom filters": {"columns": {"id": {"bloom_filter": True}}},
    "encrypted": {"encryption": pqexplore.Encryption(b"k" * 16)},
}


@pytest.mark.parametrize("name", CHOICES)
def test_everything_but_the_choices_is_kept(source, tmp_path, name):
    given = CHOICES[name]
    options = None if given is None else pqexplore.WriteOptions(**given)
    target = tmp_path / "new.parquet"
    keys = pqexplore.Decryption(footer_key=b"k" * 16) if name == "encrypted" else None
    plan = pqexplore.rewrite(source, target, options, decryption=keys)
    assert plan.size == target.stat().st_size
    with pqexplore.open(source) as old, pqexplore.open(target, decryption=keys) as new:
        assert [repr(f.element) for f in new.schema.fields] == [repr(f.element) for f in old.schema.fields]
        assert new.key_value_metadata == old.key_value_metadata
        assert [one for one in new.check() if one.severity.level != "note"] == []
        one, two = new.read(), old.read()
        assert one.drop(["nan"]).equals(two.drop(["nan"]))
        assert str(one["nan"].to_pylist()) == str(two["nan"].to_pylist())
        rows = None if given is None else given.get("row_group_rows", 1 << 20)
        groups = [group.num_rows for group in new.row_groups]
        assert groups == _expected(rows)
        if given is None:
            assert {c.metadata.codec for g in new.row_groups for c in g.columns} == {1}


def _expected(rows):
    if rows is None:
        return [300, 300, 300, 100]
    return [min(rows, ROWS - start) for start in range(0, ROWS, rows)]


@pytest.mark.parametrize("name", [name for name in CHOICES if name != "encrypted"])
def test_what_is_planned_is_what_is_written(source, tmp_path, name):
    options = None if CHOICES[name] is None else pqexplore.WriteOptions(**CHOICES[name])
    written = pqexplore.rewrite(source, tmp_path / "new.parquet", options, verify=False)
    with pqexplore.open(source) as file:
        seen = []
        planned = rewriting.planned(file, options, progress=seen.append)
        assert planned == dataclasses.replace(written, written=False)
        assert seen == sorted(seen) and seen[-1] == 1
        first = rewriting.planned(file, options, [0])
    assert (first.num_rows, first.num_row_groups) == (300, 2 if "170" in repr(options) else 1)


@pytest.mark.parametrize("options", [None, pqexplore.WriteOptions(row_group_rows=170)])
@pytest.mark.parametrize("rows", [299, 301])
def test_rows_that_the_pages_do_not_have_are_refused(source, tmp_path, rows, options):
    with pqexplore.open(source) as file:
        file.row_groups[0].metadata.num_rows = rows
        with pytest.raises(CorruptFileError, match=f"has {rows} rows, the pages of the chunk have 300") as caught:  # fmt: skip
            pqexplore.rewrite(file, tmp_path / "new.parquet", options)
    assert caught.value.address == "row_groups/0/columns/0"


WRONG = [
    ({"columns": {"id": {"physical_type": "INT64"}}}, "physical_type: a rewritten file keeps its schema"),
    ({"annotations": "converted"}, "annotations: a rewritten file keeps its schema"),
    ({"encodings": {"price": "DELTA_BINARY_PACKED"}}, "price: .*DELTA_BINARY_PACKED"),
    ({"columns": {"prize": {"codec": "ZSTD"}}}, "there is no field 'prize'"),
]  # fmt: skip


@pytest.mark.parametrize("given, message", WRONG)
def test_options_that_do_not_fit(source, tmp_path, given, message):
    target = tmp_path / "new.parquet"
    with pytest.raises(UsageError, match=message):
        pqexplore.rewrite(source, target, pqexplore.WriteOptions(**given))
    assert not target.exists()


def test_an_encrypted_file_is_not_left_unverified_in_silence(source, tmp_path):
    options = pqexplore.WriteOptions(encryption=pqexplore.Encryption(b"k" * 16))
    with pytest.raises(UsageError, match="give decryption, or verify=False"):
        pqexplore.rewrite(source, tmp_path / "new.parquet", options)


def test_what_progress_raises_stops_it_and_leaves_nothing(source, tmp_path):
    def stop(share):
        seen.append(share)
        if share >= 0.7:
            raise KeyboardInterrupt

    seen = []
    with pytest.raises(KeyboardInterrupt):
        pqexplore.rewrite(source, tmp_path / "new.parquet", progress=stop)
    assert seen == sorted(seen)
    assert [path.name for path in tmp_path.iterdir()] == ["source.parquet"]


def test_a_file_that_differs_is_not_kept(source, tmp_path, monkeypatch):
    whole = rewriting._groups

    def wrong(*given):
        for count, columns in whole(*given):
            first, *others = columns
            yield count, [_with(first, first.values.take(list(range(count))[::-1])), *others]

    def _with(column, values):
        return rewriting.LeafColumn(column.leaf, column.definition_levels, None, values)

    monkeypatch.setattr(rewriting, "_groups", wrong)
    with pytest.raises(CorruptFileError, match="differs from .* in column id, rows 0 to 300"):
        pqexplore.rewrite(source, tmp_path / "new.parquet")
    assert not (tmp_path / "new.parquet").exists()


LOCKED = {name for name in SAMPLES if name.startswith(("encrypted", "ctr", "supplied", "plaintext-footer"))}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.full if name.startswith("slow-") else ())
        for name in sorted(set(SAMPLES) - LOCKED)
    ],
)
def test_samples_are_kept(name, tmp_path):
    source, target = tmp_path / "sample.parquet", tmp_path / "new.parquet"
    try:
        write_sample(name, source)
        with pqexplore.open(source) as old:
            old.read()
    except (ParquetError, UsageError) as error:
        pytest.skip(f"{name} cannot be read here: {error}")
    pqexplore.rewrite(source, target)
    with pqexplore.open(target) as new, pqexplore.open(source) as old:
        found = {one.rule for one in new.check() if one.severity.level == "error"}
        assert found <= {one.rule for one in old.check()}
        assert str(new.read().to_pydict()) == str(old.read().to_pydict())
