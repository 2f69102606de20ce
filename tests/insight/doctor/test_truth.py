"""What the rules must not say: files whose statistics are incomplete, truncated or contradict each other."""

import json

import numpy as np
import polars
import pyarrow as pa
import pytest
from insight.doctor import cases_encryption, cases_metadata
from insight.doctor.doctor_cases import written
from made import ours, rebuilt, sample
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.format import embedded
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.writer.options import Encryption
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.report_text import diagnosis_document
from pqexplore.insight.doctor.rules import bytes as bytes_rules
from pqexplore.insight.doctor.rules import columns
from pqexplore.insight.lenses.lens import finish

COLUMN = "row_groups__0__columns__0__meta_data__"
STATISTICS = COLUMN + "statistics__"
ROWS = 2_000


def column(values, kind=None, **options):
    return written(pa.table({"c": pa.array(values, kind)}), **options)


def forged(data, **changes):
    return rebuilt(data, **{STATISTICS + name: value for name, value in changes.items()})


def rules(data, level="footer"):
    with pqexplore.open(data) as file:
        return {one.rule for one in finish(steps(file, level)).findings}


SAME = ["abc"] * ROWS
SEVENS = [7] * ROWS
INEXACT = {"is_min_value_exact": False, "is_max_value_exact": False}
UNSTATED = {"is_min_value_exact": None, "is_max_value_exact": None}

CONSTANT = [
    # what it is, the file, whether the column is constant
    ("text with exact bounds", lambda: ours(pa.table({"c": SAME})), True),
    ("text, exactness not stated", lambda: forged(ours(pa.table({"c": SAME})), **UNSTATED), False),
    ("text, truncated bounds", lambda: forged(ours(pa.table({"c": SAME})), **INEXACT), False),
    ("numbers, exactness not stated", lambda: forged(column(SEVENS), **UNSTATED), True),
    ("numbers, bounds that are no values", lambda: forged(column(SEVENS), **INEXACT), False),
    ("null_count not stated", lambda: forged(column(SEVENS), null_count=None), False),
    ("a null", lambda: column([*SEVENS[1:], None]), False),
    ("a row group of nulls", lambda: column(SEVENS + [None] * ROWS, row_group_size=ROWS), False),
    ("floats that may have NaN", lambda: forged(column([1.5] * ROWS), nan_count=None), False),
    ("floats with a NaN", lambda: ours(pa.table({"c": [1.5] * (ROWS - 1) + [float("nan")]})), False),
    ("floats without NaN", lambda: ours(pa.table({"c": [1.5] * ROWS})), True),
    ("lists of one value", lambda: column([[7]] * ROWS), False),
    ("fewer values than rows", lambda: rebuilt(column(SEVENS), **{COLUMN + "num_values": 9}), False),
    ("a row group without metadata", lambda: rebuilt(
        column(SEVENS, row_group_size=1_000), row_groups__1__columns__0__meta_data=None), False),
]  # fmt: skip


NULLS = [None] * ROWS

ONLY_NULLS = [
    ("nulls", lambda: column(NULLS, pa.int32()), True),
    ("of the null type, without statistics", lambda: column(NULLS, pa.null()), False),
    ("a field of a struct", lambda: column([{"x": None}] * ROWS, pa.struct({"x": pa.int32()})), True),
    ("empty lists", lambda: column([[]] * ROWS, pa.list_(pa.int32())), False),
    ("no null_count", lambda: forged(column(NULLS, pa.int32()), null_count=None), False),
    ("a bound beside the nulls", lambda: forged(
        column(NULLS, pa.int32()), min_value=bytes(4), max_value=bytes(4)), False),
    ("fewer values than rows", lambda: rebuilt(forged(
        column(NULLS, pa.int32()), null_count=9), **{COLUMN + "num_values": 9}), False),
    ("counts that only agree in sum", lambda: rebuilt(
        column([None, None, 1, 1] * 500, pa.int32(), row_group_size=1_000),
        row_groups__0__columns__0__meta_data__statistics__null_count=1_500,
        row_groups__1__columns__0__meta_data__statistics__null_count=500), False),
]  # fmt: skip


OF_COLUMNS = [*(("constant-column", *one) for one in CONSTANT), *(("only-nulls", *one) for one in ONLY_NULLS)]


@pytest.mark.parametrize("rule, what, make, expected", OF_COLUMNS, ids=[f"{one[0]}: {one[1]}" for one in OF_COLUMNS])
def test_columns_of_one_value_and_of_nulls(rule, what, make, expected):
    assert (rule in rules(make())) is expected


def test_the_parts_of_a_variant_are_no_columns_of_nulls(monkeypatch):
    monkeypatch.setattr(columns, "LEAST_ROWS", 10)
    assert not {"only-nulls", "mostly-nulls"} & rules(sample("variant-shredded"))
    assert "only-nulls" in rules(column([None] * 10, pa.int32()))


def test_truncated_bounds_do_not_look_like_dates():
    days = [f"2024-{1 + n % 12:02}-01 and more" for n in range(ROWS)]
    data = ours(pa.table({"s": days}), statistics_bytes=10)
    assert "text-of-another-type" not in rules(data)


def test_bounds_that_polars_truncates_are_no_constant(tmp_path):
    polars.DataFrame({"s": ["x" * 70 + str(n) for n in range(ROWS)]}).write_parquet(tmp_path / "p")
    assert "constant-column" not in rules((tmp_path / "p").read_bytes())


def test_an_integer_that_pandas_made_a_float_is_not_read_at_level_footer():
    data = column(np.arange(2_000.0))
    assert "whole-numbers-as-floats" not in rules(data)
    assert "whole-numbers-as-floats" in rules(data, "data")


def fields(*names):
    return written(pa.Table.from_arrays([pa.array([1])] * len(names), names))


NAMES = [
    # the names of columns, what is found
    (["a", "b"], []),
    (["a", "a"], ["duplicate-names"]),
    (["a", "a", "A"], ["names-differ-in-case", "duplicate-names"]),
    (["a", "A", "b", "B"], ["names-differ-in-case"] * 2),
]


@pytest.mark.parametrize("names, expected", NAMES, ids=[" ".join(one[0]) for one in NAMES])
def test_names_that_collide(names, expected):
    with pqexplore.open(fields(*names)) as file:
        found = [one for one in finish(steps(file)).findings if "name" in one.rule]
    assert [one.rule for one in found] == expected
    for one in found:
        if one.rule == "duplicate-names":
            assert one.message.startswith("`a` and `a` have")  # not `A`


def test_the_same_name_in_two_structs_does_not_collide():
    one = pa.array([{"x": 1}], pa.struct({"x": pa.int32()}))
    assert not rules(written(pa.table({"a": one, "b": one}))) & {"duplicate-names"}


def test_many_columns_of_one_name_are_one_finding():
    schema = pa.schema([pa.field("same", pa.int8())] * 5_000)
    data = written(pa.Table.from_batches([], schema))
    assert sum(rule == "duplicate-names" for rule in rules(data)) == 1


def test_local_times_and_instants_in_lists_and_structs():
    utc, local = pa.timestamp("us", "UTC"), pa.timestamp("us")
    both = pa.struct({"utc": utc, "local": local})
    lists = column([[{"utc": 0, "local": 0}]], pa.list_(both))
    assert "mixed-time-zones" in rules(lists)
    assert "mixed-time-zones" not in rules(column([[0]], pa.list_(local)))


def test_values_that_are_no_dates_refute_the_bounds():
    days = [f"2024-{1 + n % 12:02}-01" for n in range(ROWS)]
    dates, others = column(days), column([*days[:-1], "2024-01-unknown"])
    assert "text-of-another-type" in rules(dates) & rules(others)
    assert "text-values-of-another-type" in rules(dates, "data")
    assert not [rule for rule in rules(others, "data") | rules(dates, "data") if rule == "text-of-another-type"]


HOSTILE = ['{"a":' * 200_000, "[" * 100_000, '{"type": "struct", "fields": [7]}', '{"columns": {}}', "9" * 5_000]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
@pytest.mark.parametrize("key", embedded.KEYS)
def test_hostile_metadata_is_a_finding(key, text):
    data = ours(pa.table({"x": [1]}), arrow_schema=False, key_value_metadata={key: text})
    with pqexplore.open(data) as file:
        found = [one for one in finish(steps(file)).findings if "metadata" in one.address]
    assert len(found) == 1 and len(found[0].sentence) < 500


def test_metadata_beyond_the_bound_is_not_parsed(monkeypatch):
    monkeypatch.setattr(embedded, "MAX_JSON", 10)
    data = ours(pa.table({"x": [1]}), arrow_schema=False, key_value_metadata={"pandas": "{" * 11})
    assert rules(data) == {"embedded-unknown"}


@ONE_COLUMN_METADATA
@pytest.mark.parametrize("after, expected", [(b"", False), (b"x", True)], ids=["alone", "before something else"])
def test_copies_of_metadata_that_old_writers_leave_are_no_unused_bytes(after, expected, monkeypatch):
    monkeypatch.setattr(bytes_rules, "GAP_BYTES", 10)
    data = written(pa.table({"a": [1]}))
    with pqexplore.open(data) as file:
        at, copy = file.footer.start, encode(file.row_groups[0].columns[0].metadata)
    with pqexplore.open(data[:at] + copy + after + data[at:]) as file:
        assert ("unused-bytes" in {one.rule for one in finish(steps(file, "pages")).findings}) is expected


KEYS = [None, {"footer_key": b"f" * 16}, {"footer_key": b"f" * 16, "column_keys": {"a": b"a" * 16}}]


@pytest.mark.parametrize("keys", KEYS, ids=["no key", "the footer key", "all keys"])
@pytest.mark.parametrize("plaintext", [False, True])
def test_encrypted_columns_are_no_unused_bytes(keys, plaintext):
    table = pa.table({"a": np.random.default_rng(1).random(20_000), "b": np.arange(20_000)})
    given = Encryption(b"f" * 16, {"a": b"a" * 16, "b": None}, plaintext_footer=plaintext)
    data = ours(table, encryption=given, bloom_filter=True)
    with pqexplore.open(data, decryption=keys and pqexplore.Decryption(**keys)) as file:
        assert "unused-bytes" not in {one.rule for one in finish(steps(file, "pages")).findings}
        assert "gap" not in file.layout("chunks")["kind"].to_pylist()


MINE = [*cases_metadata.CASES, *cases_encryption.CASES]


@pytest.mark.parametrize("case", MINE, ids=lambda case: case.rule)
def test_a_finding_has_all_that_one_needs(case):
    with pqexplore.open(case.make()) as file:
        [found] = [one for one in finish(steps(file, case.level)).findings if one.rule == case.rule]
        assert found.fix.endswith(".") and found.source is not None and found.evidence
        assert not found.address or file.node(found.address)
        json.dumps(diagnosis_document(found))
