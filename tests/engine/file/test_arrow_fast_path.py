"""Arrow's decoder beside ours: the same values from sound files, the same errors from damaged ones."""

import random
import zlib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import parquet
from needs import CHECKSUMS, ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import arrow_fast_path
from pqexplore.engine.format.encodings import dictionary, plain
from pqexplore.engine.format.thrift.structs import Encoding, Type

ROWS = 700
RNG = np.random.default_rng(7)
WORDS = np.array(["", "a", "Wort", "x" * 40])


def _nulls(values, share=0.3):
    return pa.array(values, mask=RNG.random(ROWS) < share)


def _required(values):
    array = pa.array(values)
    return pa.table([array], pa.schema([pa.field("c", array.type, nullable=False)]))


VALUES = {
    "int32": RNG.integers(-9, 9, ROWS).astype(np.int32),
    "int64": RNG.integers(-(2**60), 2**60, ROWS),
    "uint8": RNG.integers(0, 9, ROWS).astype(np.uint8),
    "float": RNG.random(ROWS).astype(np.float32),
    "double": RNG.random(ROWS),
    "boolean": np.repeat(RNG.random(ROWS // 7) < 0.5, 7),
    "string": WORDS[RNG.integers(0, 4, ROWS)],
    "timestamp": RNG.integers(0, 9, ROWS).astype("datetime64[us]"),
}
DECIMALS = pa.array(RNG.integers(-9, 9, ROWS)).cast(pa.decimal128(19, 0))
FIXED = pa.array([bytes([n % 5] * 3) for n in range(ROWS)], pa.binary(3))
LISTS = pa.array([None if n % 9 == 0 else list(range(n % 4)) for n in range(ROWS)])
STRUCTS = pa.array([None if n % 9 == 0 else {"a": n % 7 or None} for n in range(ROWS)])
TABLES = {
    **{name: _required(values) for name, values in VALUES.items()},
    **{f"{name} with nulls": pa.table({"c": _nulls(v)}) for name, v in VALUES.items()},
    **{f"{name} and no null": pa.table({"c": v}) for name, v in VALUES.items()},
    "nulls alone": pa.table({"c": pa.nulls(ROWS, pa.int64())}),
    "decimal": pa.table({"c": DECIMALS}),
    "fixed": pa.table({"c": FIXED}),
    "list": pa.table({"c": LISTS}),
    "struct": pa.table({"c": STRUCTS}),
}
OPTIONS = {
    "dictionary": {},
    "plain": {"use_dictionary": False},
    "fallback": {"dictionary_pagesize_limit": 30, "write_batch_size": 50},
    "version 2": {"data_page_version": "2.0"},
    "deltas": {"use_dictionary": False, "column_encoding": "DELTA_BINARY_PACKED"},
    "delta lengths": {"use_dictionary": False, "column_encoding": "DELTA_LENGTH_BYTE_ARRAY"},
    "prefixes": {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"},
    "runs": {"use_dictionary": False, "column_encoding": "RLE"},
    "streams": {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"},
}


def _file(table, options, **others):
    usual = {"compression": "none", "data_page_size": 200, "write_batch_size": 64}
    return parquet(table, store_schema=False, **usual | options | others)


def _files():
    for name, table in TABLES.items():
        for how, options in OPTIONS.items():
            try:
                yield pytest.param(_file(table, options), id=f"{name}, {how}")
            except (pa.ArrowException, OSError):
                continue  # pyarrow has no such encoding for the type


FILES = list(_files())


def read(data, least):
    """(what `read` gives or raises, what it calls wrong) where Arrow is asked for chunks from `least` values on."""
    with pytest.MonkeyPatch.context() as patch, pqexplore.open(data) as file:
        patch.setattr(arrow_fast_path, "MIN_VALUES", least)
        try:
            table = file.read()
            table.validate(full=True)
        except ParquetError:
            return "refused", []  # what comes first of two damages may be another
        except pa.ArrowInvalid:
            pass  # text that is not UTF-8, and decimals of too many digits, stay as they are
        return table, sorted((f.rule, f.address) for f in file.findings)


def assert_alike(data):
    """Read by us and with Arrow: the same, or refused by both."""
    (ours, said), (arrows, also_said) = read(data, BY_US), read(data, BY_ARROW)
    assert said == also_said
    if isinstance(ours, pa.Table) and isinstance(arrows, pa.Table) and not ours.equals(arrows):
        assert ours.schema == arrows.schema
        assert repr(ours.to_pydict()) == repr(arrows.to_pydict())  # NaN is not NaN
    else:
        assert isinstance(ours, pa.Table) == isinstance(arrows, pa.Table)


BY_US, BY_ARROW = 1 << 40, 1


@pytest.mark.parametrize("data", FILES)
def test_sound_files(data):
    assert isinstance(read(data, BY_US)[0], pa.Table)
    assert_alike(data)


def test_that_arrow_is_asked():
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_fast_path, "_read", lambda stored, count: asked.append(count))
        read(_file(TABLES["string"], {}), BY_ARROW)
        read(_file(TABLES["int64 with nulls"], {}), BY_ARROW)
        read(_file(TABLES["list"], {}), BY_ARROW)
        read(_file(TABLES["string"], {}), ROWS + 1)
    assert asked == [ROWS, ROWS, sum(len(v or ()) for v in LISTS.to_pylist())]


@pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd", "lz4", "brotli"])
def test_compressed_files(codec):
    data = _file(TABLES["string with nulls"], {}, compression=codec)
    assert_alike(data)


def _damaged(data, places):
    raw = bytearray(data)
    end = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    for at, value in places:
        raw[4 + at % (end - 4)] = value
    return bytes(raw)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, len(FILES) - 1),
    st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_damaged_files_are_read_alike_and_refused_alike(number, places):
    damaged = _damaged(FILES[number].values[0], places)
    assert_alike(damaged)


@pytest.mark.parametrize("how", ["plain", "version 2", "dictionary"])
@pytest.mark.parametrize("codec", ["none", "snappy"])
def test_every_byte_of_a_page_header(how, codec):
    data = _file(TABLES["int64 with nulls"], OPTIONS[how], compression=codec)
    with pqexplore.open(data) as file:
        frame = next(page.frame for page in file.row_groups[0].columns[0].pages if page.is_data)
    for at in range(frame.start, frame.header_end):
        for value in (0, 0x7F):
            assert_alike(data[:at] + bytes([value]) + data[at + 1 :])


@CHECKSUMS
def test_a_wrong_checksum_is_a_finding():
    data = _file(TABLES["int64"], {"use_dictionary": False}, write_page_checksum=True)
    broken = _damaged(data, [(200, 77)])
    assert zlib.crc32(broken) != zlib.crc32(data)
    assert_alike(broken)
    assert any(rule == "crc-mismatch" for rule, _ in read(broken, BY_ARROW)[1])


def test_dictionary_values_over_the_limit_are_not_decoded_by_arrow():
    words = pa.table({"c": ["x" * 100_000] * ROWS})
    data = _file(words, {})
    with (
        pqexplore.open(data, limits=pqexplore.Limits(read_bytes=1 << 20)) as file,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(arrow_fast_path, "MIN_VALUES", 1)
        patch.setattr(arrow_fast_path, "_read", lambda stored, count: pytest.fail("it was made"))
        with pytest.raises(pqexplore.LimitExceededError, match="read_bytes"):
            file.read()


def test_files_by_other_writers_read_alike(corpus):
    names = sorted(corpus.glob("apache__parquet-testing/data/*.parquet"))
    for path in random.Random(3).sample(names, min(10, len(names))):
        assert_alike(path.read_bytes())


class Int64Leaf:
    """As much of a leaf as is asked for."""

    physical_type, type_length, path = Type.INT64, None, ("c",)


@pytest.mark.parametrize("entries", [8, 20])
@pytest.mark.parametrize(
    "ids",
    [
        [3, 8 << 1, 5],
        [3, 3, 1, 2, 3],
        [3, 4 << 1, 5, 3, 1, 2, 3],
        [3, 0, 5, 8 << 1, 5],  # an empty run
        [3, 4 << 1, 5, 0, 5, 4 << 1, 6],
        [3, 1, 8 << 1, 5],  # an empty bit-packed run
        [3, 4 << 1, 5, 1, 4 << 1, 6],
        [3, 8 << 1, 13],  # a value of four bits
        [3, 8 << 1, 77],
        [3, 4 << 1, 5, 0x80, 0x80, 0x80, 0x80, 0x10, 5],  # a header of 33 bits
        [3, 4 << 1, 5],  # too few
        [3, 3, 1, 2],
        [33, 8 << 1, 5, 0, 0, 0, 0],
        [0, 8 << 1],
        [0, 0],
        [0],
        [],
    ],
)
def test_ids_that_arrow_may_read(ids, entries):
    values = pa.array(range(entries), pa.int64())
    section = arrow_fast_path.EncodedValues(memoryview(bytes(ids)), 8, Encoding.RLE_DICTIONARY)
    try:
        expected = values.take(pa.array(dictionary.decode_ids(bytes(ids), 8, entries)))
    except ParquetError:
        expected = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_fast_path, "MIN_VALUES", 1)
        found = arrow_fast_path.decode(Int64Leaf(), [section], values, memoryview(plain.encode(values)))
    assert found is None or found == expected


@ONE_COLUMN_METADATA
def test_a_chunk_is_read_in_one_piece():
    with pqexplore.open(_file(TABLES["int64"], {})) as file:
        before = file.source.reads
        file.read()
        assert file.source.reads == before + 1
        chunk = file.row_groups[0].columns[0]
        assert file.source.ranges[-1] == (chunk.span.start, len(chunk.span))
        assert len(chunk.pages) > 3
        assert chunk.source is file.source
