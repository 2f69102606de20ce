"""Chunks are proved sound together; the findings are those of the check of each by itself."""

import datetime
import decimal
import random

import made
import numpy as np
import pyarrow as pa
import pytest
from engine.check.test_violations import ROWS
from engine.hostile import mutations

import pqexplore
from pqexplore.engine.check.file_check import Counted, check_steps
from pqexplore.engine.check.sound_chunks import SoundChunks
from pqexplore.engine.limits import Limits
from pqexplore.engine.writer.samples import SAMPLES, SICK

UTC = datetime.UTC
ROWS_EACH = 40
FLAT = pa.table(
    {
        "int": pa.array([n if n % 7 else None for n in range(400)], pa.int32()),
        "byte": pa.array([n % 100 - 50 for n in range(400)], pa.int8()),
        "unsigned": pa.array([2**32 - 1 - n for n in range(400)], pa.uint32()),
        "long": pa.array([n * 2**40 for n in range(400)]),
        "float": pa.array([n / 3 for n in range(400)], pa.float32()),
        "double": pa.array([None if n % 3 else -n / 7 for n in range(400)]),
        "flag": [n % 3 == 0 for n in range(400)],
        "text": [None if n % 11 == 0 else f"é{n % 13}" for n in range(400)],
        "bytes": pa.array([bytes([n % 256, 255]) for n in range(400)]),
        "time": [datetime.datetime(2020, 1, 1, tzinfo=UTC) + datetime.timedelta(n) for n in range(400)],
        "clock": [datetime.time(n % 24, 30) for n in range(400)],
        "day": [datetime.date(2020, 1, 1) + datetime.timedelta(n) for n in range(400)],
        "decimal": pa.array([decimal.Decimal(n) for n in range(400)], pa.decimal128(9, 2)),
        "nothing": pa.nulls(400, pa.int64()),
        "struct": [None if n % 9 == 0 else {"a": n, "b": None if n % 2 else "b"} for n in range(400)],
    }
)


def rows_of(table, **options):
    return made.parquet(table, row_group_size=ROWS_EACH, **options)


def both(data, keys=None, **options):
    """The findings with proofs and without, and the pages that were looked at."""
    found = []
    for together in (True, False):
        counted = Counted()
        with pqexplore.open(data, decryption=None if keys is None else pqexplore.Decryption(**keys), **options) as file:
            steps = check_steps(file, None, counted, together=together)
            found.append(([one for one in steps if one is not None], counted.pages, file.findings))
    return found


def proved(data):
    """The (row group, column) of all chunks that are proved sound."""
    with pqexplore.open(data) as file:
        chunks = SoundChunks(file)
        groups = {index: chunks.of(index) for index in range(len(file.row_groups))}
        return {(index, column) for index, one in groups.items() if one for column in one.columns.tolist()}


def everything(data):
    with pqexplore.open(data) as file:
        return {(chunk.row_group.index, chunk.index) for chunk in file.chunks()}


OPTIONS = {
    "defaults": {},
    "uncompressed": {"compression": "none"},
    "zstd": {"compression": "zstd"},
    "gzip": {"compression": "gzip"},
    "plain": {"use_dictionary": False},
    "no statistics": {"write_statistics": False},
    "many pages": {"data_page_size": 64, "write_batch_size": 8},
    "checksums": made.CHECKSUMS,
}


@pytest.mark.parametrize("name", OPTIONS)
def test_what_pyarrow_writes_is_proved_sound(name):
    data = rows_of(FLAT, **OPTIONS[name])
    left = everything(data) - proved(data)
    assert {FLAT.column_names[column] for _, column in left} == {"decimal"}  # pyarrow's are FIXED_LEN_BYTE_ARRAY
    assert both(data)[0] == both(data)[1]


def test_what_our_writer_writes_is_proved_sound():
    options = {"page_version": 2, "column_index": False, "offset_index": False, "statistics": ("chunk", "page")}
    data = made.ours(FLAT, **options, row_group_rows=ROWS_EACH)
    assert proved(data) == everything(data)
    assert both(data)[0] == both(data)[1]


PLANTED = [(name, which) for name, row in ROWS.items() for which in ("make", "near") if getattr(row, which)]
EACH = 12
"""Of so many planted violations one is looked at in each run, and all with the slow tests: another test checks each."""


@pytest.mark.parametrize(
    ("name", "which"),
    [pytest.param(*one, marks=pytest.mark.full if at % EACH else ()) for at, one in enumerate(PLANTED)],
)
def test_findings_of_planted_violations_are_the_same(name, which):
    row = ROWS[name]
    with_proofs, without = both(getattr(row, which)(), row.keys)
    assert with_proofs == without


@pytest.mark.parametrize("name", [*SAMPLES, *SICK])
def test_findings_of_samples_are_the_same(name):
    with_proofs, without = both(made.sample(name), SAMPLES[name].keys if name in SAMPLES else None)
    assert with_proofs == without


SEEDS = [rows_of(FLAT.slice(0, 40), **options) for options in OPTIONS.values()]
KINDS = [kind for kind in mutations.KINDS if kind not in ("splice", "long_run")]


@pytest.mark.parametrize("seed", range(len(SEEDS)), ids=list(OPTIONS))
def test_findings_of_broken_files_are_the_same(seed):
    rng = random.Random(seed)
    seen = 0
    for number in range(60):
        broken = mutations.mutate(KINDS[number % len(KINDS)], SEEDS[seed], rng)
        if broken is None:
            continue
        try:
            with_proofs, without = both(broken)
        except pqexplore.ParquetError:
            continue  # it does not open
        assert with_proofs == without
        seen += 1
    assert seen > 20


def set_statistics(data, **fields):
    """The file with other statistics of its first chunk."""
    return made.rebuilt(
        data, **{f"row_groups__0__columns__0__meta_data__statistics__{name}": value for name, value in fields.items()}
    )


@pytest.mark.parametrize(
    ("kind", "values", "fields"),
    [
        (pa.int32(), [1, 2, 3], {"min_value": b"\2\0\0\0", "min": b"\2\0\0\0"}),
        (pa.int32(), [1, 2, 3], {"max_value": b"\2\0\0\0", "max": b"\2\0\0\0"}),
        (pa.int32(), [1, 2, 3], {"max_value": b"\4\0\0\0", "max": b"\4\0\0\0"}),
        (pa.int32(), [1, 2, 3], {"max_value": b"\3\0\0"}),
        (pa.int32(), [1, 2, 3], {"max": b"\4\0\0\0"}),
        (pa.int32(), [1, 2, 3], {"max_value": None}),
        (pa.int32(), [1, 2, None], {"null_count": 0}),
        (pa.int32(), [1, 2, 3], {"nan_count": 0}),
        (pa.int32(), [1, 2, 3], {"distinct_count": 2}),
        (pa.float64(), [1.0, 2.0], {"nan_count": 1}),
        (pa.float64(), [0.0, 2.0], {"min_value": bytes(8)}),
        (pa.float64(), [-1.0, 0.0], {"max_value": bytes(7) + b"\x80"}),
        (pa.string(), ["b", "c"], {"min_value": b"c"}),
        (pa.string(), ["b", "c"], {"max_value": b"b"}),
        (pa.string(), ["b", "c"], {"max_value": b"d", "is_max_value_exact": True}),
        (pa.string(), ["b", "c"], {"max_value": b"\xff", "is_max_value_exact": False}),
        (pa.string(), [None, None], {"min_value": b"", "max_value": b"", "null_count": 2}),
        (pa.bool_(), [True, False], {"min_value": b"\1"}),
    ],
)
def test_a_chunk_with_wrong_statistics_is_not_proved(kind, values, fields):
    data = made.one_column(kind, values)
    assert proved(data)
    changed = set_statistics(data, **fields)
    assert not proved(changed)
    assert both(changed)[0] == both(changed)[1]


@pytest.mark.parametrize(
    ("kind", "values", "fields"),
    [
        (pa.string(), ["b", "c"], {"max_value": b"d", "is_max_value_exact": False}),
        (pa.string(), ["bb", "c"], {"min_value": b"b", "is_min_value_exact": False}),
        (pa.float64(), [0.0, 2.0], {"min_value": bytes(7) + b"\x80", "min": None, "max": None}),
        (pa.int32(), [1, 2, 3], {"min": None, "max": None}),
    ],
)
def test_bounds_that_readers_may_trust_are_right(kind, values, fields):
    changed = set_statistics(made.one_column(kind, values), **fields)
    assert both(changed)[0] == both(changed)[1]
    assert proved(changed)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([float("nan"), 1.0], pa.float64()), ([b"\xff", b"a"], pa.string()), ([[1], [2, 3]], pa.list_(pa.int64()))],
)
def test_unusual_values_are_left_to_the_rules(values, kind):
    array = pa.array(values, pa.binary()).view(pa.string()) if pa.types.is_string(kind) else pa.array(values, kind)
    data = made.parquet(pa.table({"x": array}))
    assert not proved(data)
    assert both(data)[0] == both(data)[1]


def test_a_mark_of_an_extension_in_a_value_is_looked_at():
    data = made.parquet(pa.table({"x": [b"\x08\xfe\xff\x03", b"a"]}), compression="none")
    assert not proved(data)
    assert both(data)[0] == both(data)[1]


def test_the_pages_fill_the_file_but_for_gaps_which_are_found():
    data = rows_of(FLAT.select(["int", "text"]))
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    with_gap = data[:footer] + bytes(7) + data[footer:]
    found = both(with_gap)
    assert [one.rule for one in found[0][0]] == ["gap"]
    assert found[0] == found[1]


def test_two_owners_of_a_byte_are_named_as_ever():
    data = rows_of(FLAT.select(["long"]))
    with pqexplore.open(data) as file:
        first = file.footer_metadata.row_groups[0].columns[0].meta_data
    moved = made.rebuilt(
        data,
        row_groups__1__columns__0__meta_data__data_page_offset=first.data_page_offset,
        row_groups__1__columns__0__meta_data__dictionary_page_offset=first.dictionary_page_offset,
    )
    found = both(moved)
    assert "overlap" in {one.rule for one in found[0][0]}
    assert found[0] == found[1]


def test_work_that_is_too_much_stops_at_the_same_place():
    data = rows_of(FLAT)
    for limits in (Limits(work_nodes=0), Limits(work_bytes=0)):
        found = both(data, limits=limits)
        assert found[0] == found[1]


def test_large_chunks_are_left_to_the_rules():
    data = made.parquet(pa.table({"x": np.arange(100_000)}))
    assert not proved(data)
