import io
import math

import numpy as np
import pyarrow as pa
import pytest
from made import parquet, rebuilt

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses
from pqexplore.insight.lenses.group_chunks import drawn, known
from pqexplore.widget import map_colours
from pqexplore.widget.operations import OPERATIONS
from pqexplore.widget.rpc import call

STATISTICS = "row_groups__0__columns__0__meta_data__statistics"
RANDOM = np.random.default_rng(7).bytes(4096)

BITS = {
    "one value": (bytes(4096), 0.0, 0.0),
    "two values, equally often": (b"ab" * 2048, 1.0, 1.001),
    "each value once in turn": (bytes(range(256)) * 16, 8.0, 8.0),
    "random": (RANDOM, 7.97, 8.0),
    "a few random bytes": (RANDOM[:256], 7.5, 7.8),
}


@pytest.mark.parametrize(("data", "low", "high"), BITS.values(), ids=BITS)
def test_entropy_in_bits_a_byte(data, low, high):
    assert low <= map_colours.entropy(data) <= high


def test_nothing_has_no_entropy():
    assert math.isnan(map_colours.entropy(b""))


def coloured(file, by, level="pages"):
    """The class of each tile by its address, the values, and the answer."""
    made = lenses.finish(map_colours.map_colours(file, by, level))
    addresses = file.layout(level)["address"].to_pylist()
    code = made.columns.by_name["code"]
    classes = {address: made.classes[one] for address, one in zip(addresses, code.tolist(), strict=True)}
    value = made.columns.by_name.get("value")
    values = {} if value is None else dict(zip(addresses, value.tolist(), strict=True))
    return classes, values, made


COLUMNS = {
    "some": pa.array([None, 1, 2, 3] * 250, pa.int64()),
    "none": pa.array(range(1000), pa.int64()),
    "all": pa.array([None] * 1000, pa.int64()),
    "most": pa.array([1] + [None] * 999, pa.int64()),
    "text": pa.array(["x" * 200] * 1000),
}


@pytest.fixture(scope="module")
def mixed():
    data = parquet(
        pa.table(COLUMNS),
        compression={**dict.fromkeys(COLUMNS, "snappy"), "none": "none"},
        use_dictionary=["some"],
        write_page_index=True,
    )
    with pqexplore.open(data) as file:
        yield file


CHUNK = "row_groups/0/columns"
EXPECTED = {
    # by, tile, class
    "codec": ("codec", f"{CHUNK}/0/pages/0", "SNAPPY"),
    "codec of a header": ("codec", f"{CHUNK}/1/pages/0/header", "UNCOMPRESSED"),
    "codec of an index": ("codec", f"{CHUNK}/1/column_index", "other bytes"),
    "codec of the footer": ("codec", "footer", "other bytes"),
    "encoding of a dictionary": ("encoding", f"{CHUNK}/0/pages/0", "PLAIN"),
    "encoding of its data": ("encoding", f"{CHUNK}/0/pages/1", "RLE_DICTIONARY"),
    "some nulls": ("nulls", f"{CHUNK}/0/pages/1", "to 50 %"),
    "no null": ("nulls", f"{CHUNK}/1/pages/0", "none"),
    "nulls only": ("nulls", f"{CHUNK}/2/pages/0", "all"),
    "one value that is not null": ("nulls", f"{CHUNK}/3/pages/0", "below 100 %"),
    "compressed well": ("ratio", f"{CHUNK}/4/pages/0", "10 × and more"),
    "not compressed": ("ratio", f"{CHUNK}/1/pages/0", "1–1.1 ×"),
    "bytes of one value": ("entropy", f"{CHUNK}/1/pages/0", "2–4"),
    "a short tile": ("entropy", f"{CHUNK}/1/pages/0/header", "shorter than 256 bytes"),
}


@pytest.mark.parametrize(("by", "tile", "expected"), EXPECTED.values(), ids=EXPECTED)
def test_the_class_of_a_tile(mixed, by, tile, expected):
    assert coloured(mixed, by)[0][tile] == expected


def test_values_are_in_their_unit(mixed):
    _, nulls, made = coloured(mixed, "nulls")
    assert nulls[f"{CHUNK}/0/pages/1"] == 25.0
    assert made.unit == "%"
    _, ratios, made = coloured(mixed, "ratio")
    header = mixed.row_groups[0].columns[4].pages[0].header
    right = header.uncompressed_page_size / header.compressed_page_size
    assert ratios[f"{CHUNK}/4/pages/0"] == pytest.approx(right)
    assert math.isnan(ratios["footer"])


def test_column_chunks_have_classes_before_their_pages_are_read(mixed):
    classes = coloured(mixed, "encoding", "chunks")[0]
    assert classes[f"{CHUNK}/0"] == "RLE_DICTIONARY"
    assert classes[f"{CHUNK}/1"] == "PLAIN"
    assert classes["footer"] == "other bytes"


def test_statistics_that_are_missing_or_impossible_are_not_known():
    with pqexplore.open(parquet(pa.table(COLUMNS), write_statistics=False)) as file:
        assert coloured(file, "nulls")[0][f"{CHUNK}/0/pages/1"] == "not known"


NULLS = {
    # type, statistics: null_count by the footer, the class
    "counted": (pa.int32(), True, 1, "to 50 %"),
    "more than entries": (pa.int32(), True, 5, "not known"),
    "below 0": (pa.int32(), True, -1, "not known"),
    "not counted": (pa.int32(), True, None, "not known"),
    "required": (pa.int32(), False, None, "none"),
    "required, counted wrongly": (pa.int32(), False, 1, "none"),
    "only nulls by the type": (pa.null(), True, None, "all"),
}


@pytest.mark.parametrize("name", NULLS)
def test_the_map_and_the_column_card_have_one_account_of_nulls(name):
    type_, nullable, count, expected = NULLS[name]
    field = pa.field("a", type_, nullable=nullable)
    values = [None] * 4 if type_ == pa.null() else [1, 2, 3, None if nullable else 4]
    data = rebuilt(
        parquet(pa.table({"a": pa.array(values, type_)}, schema=pa.schema([field]))),
        **{STATISTICS: structs.Statistics(null_count=count)},
    )
    with pqexplore.open(data) as file:
        assert coloured(file, "nulls", "chunks")[0][f"{CHUNK}/0"] == expected
        [share] = drawn(known(file, file.schema.leaves[0])).nulls
    assert {"none": 0.0, "all": 1.0, "to 50 %": 0.25, "not known": -1}[expected] == share


def test_a_long_file_elsewhere_is_not_read_for_its_entropy(monkeypatch):
    with pqexplore.open(parquet(pa.table(COLUMNS), use_dictionary=False, compression="none")) as file:
        list(map_colours.map_colours(file, "codec", "pages"))
        monkeypatch.setattr(file.source, "local", False)
        monkeypatch.setattr(map_colours, "READ_REMOTE", file.size - 1)
        before = file.source.reads
        classes, _, made = coloured(file, "entropy")
        assert file.source.reads == before
        assert set(classes.values()) == {"not known", "shorter than 256 bytes"}
        assert "not local" in made.note
        monkeypatch.setattr(map_colours, "READ_REMOTE", file.size)
        assert "2–4" in coloured(file, "entropy")[0].values()


def test_the_bytes_read_for_the_entropy_are_bounded(mixed, monkeypatch):
    monkeypatch.setattr(map_colours, "LONGEST", 1024)
    mixed.layout("pages")
    mixed.source.ranges.clear()
    note = coloured(mixed, "entropy")[2].note
    read = [length for _, length in mixed.source.ranges]
    assert 256 in read
    assert max(read) <= 1024
    assert f"estimated from {sum(read):,} of {mixed.size:,}" in note


@pytest.mark.parametrize("by", map_colours.BY)
def test_every_answer_travels_for_every_sample(by):
    for sample in ("events", "slow-no-statistics"):
        out = io.BytesIO()
        write_sample(sample, out)
        with pqexplore.open(out.getvalue()) as file:
            for level in ("chunks", "pages"):
                args = {"by": by, "level": level}
                result, buffers = call(OPERATIONS, file, "map_colours", args)
                assert len(buffers[0]) == file.layout(level).num_rows
                assert max(bytes(buffers[0])) < len(result["classes"])


def test_unknown_properties_are_named(mixed):
    with pytest.raises(UsageError, match="codec, ratio"):
        lenses.finish(map_colours.map_colours(mixed, "price"))


def test_rare_names_are_one_class():
    class Many:
        table = pa.table({"start": range(0, 400, 10), "end": range(10, 410, 10)})

    names = {f"n{i}": i for i in range(40)}
    found = Many()
    about = np.ones(40, bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_colours, "_about", lambda found: about)
        made = map_colours._named(found, "codec", "codec", "", np.arange(40.0), names)
    assert len(made.classes) == map_colours.FIRST + map_colours.NAMED
    assert made.classes[-1] == "other"
    assert made.columns.by_name["code"].max() == len(made.classes) - 1
