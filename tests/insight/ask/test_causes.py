"""The causes for which a query reads too much: each in its sample, in no other one, and fixed by its code."""

from __future__ import annotations

import datetime
import functools
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from needs import needs_option

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, slow
from pqexplore.insight.ask import engines
from pqexplore.insight.ask.bound import Either, Undecided
from pqexplore.insight.ask.engines import Engine
from pqexplore.insight.ask.plan_text import plan_report
from pqexplore.insight.ask.pruning_result import BOUNDS
from pqexplore.insight.ask.why_not_pruned import CAUSES
from pqexplore.insight.ask.why_not_pruned.estimate import data_bytes

EXPECTED = {
    "slow-sentinel": ("sentinel", "9999-12-31 is in 648 of 16,384 values"),
    "slow-truncated": ("truncated", "truncated to 24 bytes in all 8 row groups"),
    "slow-text-dates": ("text_dates", "dates as text (day/month/year)"),
    "slow-text-numbers": ("text_numbers", "'55' comes after '54950000'"),
    "slow-unsorted": ("unsorted", "lies within the range of 8 of 8 row groups"),
    "slow-clustered-within": ("clustered_within", "sorted within each row group, but not from one"),
    "slow-no-statistics": ("no_statistics", "left out the min and max of `number`"),
    "slow-distrusted": ("distrusted", "names no known column order"),
    "slow-no-nan-count": ("no_nan_count", "There is no NaN in these row groups"),
    "slow-int96": ("wrong_column_type", "INT96, which has no order"),
    "slow-no-page-index": ("no_page_index", "By their values, 1 of them can have a matching row"),
    "slow-few-rows-a-page": ("few_rows_a_page", "have 8 rows on average"),
    "slow-large-row-groups": ("large_row_groups", "can match in 1 of 8 parts of 2,048 rows"),
    "slow-no-bloom": ("no_bloom", "up to 2,048 distinct values each"),
    "slow-dictionary-given-up": ("dictionary_given_up", "has 95 of 198 distinct values"),
}
"""Each sample, its cause, and words of the sentence."""


class RowGroups(Engine):
    """An engine that uses nothing but the bounds of row groups."""

    name = "row-groups"
    title = "a reader of bounds"
    stages = (BOUNDS,)


class NoOr(RowGroups):
    """An engine that does not compare OR with bounds."""

    def usable(self, bound, schema):
        return Undecided("it skips by no OR", bound.sql) if isinstance(bound, Either) else bound


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("slow")
    for name in EXPECTED:
        SAMPLES[name].write(found / f"{name}.parquet")
    return found


def asked(path, where, engine=None, monkeypatch=None):
    if engine is not None:
        monkeypatch.setattr(engines, "engine", lambda name: engine())
    return pqexplore.ask(path, where)


def names(plan):
    return [cause.name for cause in plan.causes]


def test_every_slow_sample_is_in_the_table():
    assert {name for name in SAMPLES if name.startswith("slow-")} == set(EXPECTED)
    assert {name for name, _ in EXPECTED.values()} <= set(CAUSES)


@pytest.mark.parametrize("sample", EXPECTED)
def test_a_sample_has_exactly_its_cause(sample, folder):
    name, words = EXPECTED[sample]
    with pqexplore.ask(folder / f"{sample}.parquet", SAMPLES[sample].where) as plan:
        assert names(plan) == [name]
        assert words in plan.causes[0].sentence
        assert plan.advice == plan.causes
        assert plan.causes[0].saves > 0


@pytest.mark.parametrize(("sample", "cause"), [
    ("slow-sentinel", ["sentinel"]),
    ("slow-clustered-within", ["clustered_within"]),
    ("slow-no-bloom", ["unsorted"]),  # the engine has no use for a Bloom filter
    ("slow-dictionary-given-up", ["unsorted"]),  # nor for a dictionary
    ("slow-no-page-index", ["large_row_groups"]),  # nor for a page index
    ("slow-few-rows-a-page", []),
])  # fmt: skip
def test_an_engine_is_advised_only_what_it_uses(sample, cause, folder, monkeypatch):
    where = SAMPLES[sample].where
    with asked(folder / f"{sample}.parquet", where, RowGroups, monkeypatch) as plan:
        assert names(plan) == cause


OTHERWISE = {
    "datafusion": {
        "slow-distrusted": "no_page_index",  # it takes the bounds
        "slow-no-nan-count": "no_page_index",  # it does not think of NaN
        "slow-few-rows-a-page": None,  # it reads 512 KiB first, and the index with them
        "slow-dictionary-given-up": "no_bloom",  # it has no use for dictionaries
    },
    "duckdb": {
        "slow-distrusted": None,
        "slow-no-nan-count": None,
        "slow-no-page-index": "large_row_groups",  # it has no use for a page index
        "slow-few-rows-a-page": None,
        "slow-dictionary-given-up": "no_bloom",
    },
    "polars": {
        "slow-no-nan-count": None,  # it compares no float by >
        "slow-no-page-index": "large_row_groups",
        "slow-few-rows-a-page": None,
        "slow-no-bloom": "unsorted",  # it has no use for Bloom filters
        "slow-dictionary-given-up": "unsorted",
    },
    "pyarrow": {
        "slow-sentinel": "unsorted",  # it uses no bounds of row groups with nulls
        "slow-no-nan-count": None,  # NaN is not larger than any number
        "slow-no-page-index": "large_row_groups",
        "slow-few-rows-a-page": None,
        "slow-no-bloom": "unsorted",
        "slow-dictionary-given-up": "unsorted",
    },
    "spark": {"slow-distrusted": "no_page_index", "slow-no-nan-count": "no_page_index"},
}
"""By engine, the samples whose cause is another one, or none."""


@functools.cache
def fixed_by(code):
    """The bytes of the file that a script writes; the same script serves several engines."""
    Path("fixed.parquet").unlink(missing_ok=True)
    exec(code, {})
    return Path("fixed.parquet").read_bytes()


@pytest.mark.parametrize("sample", EXPECTED)
@pytest.mark.parametrize("engine", [name for name in engines.ENGINES if name != "format"])
def test_each_engine_has_the_causes_that_matter_to_it(engine, sample, folder, monkeypatch):
    """The causes by the rules of each engine; and by the same rules the fixed file is read as estimated."""
    monkeypatch.chdir(folder)
    cause = OTHERWISE[engine].get(sample, EXPECTED[sample][0])
    where = SAMPLES[sample].where
    with pqexplore.ask(f"{sample}.parquet", where, engine=engine) as plan:
        assert names(plan) == [name for name in [cause] if name]
    for one in plan.causes:
        where = one.evidence.get("where", where)
        with pqexplore.ask(fixed_by(one.code["pqexplore"]), where, engine=engine) as fixed:
            assert one.name not in names(fixed)
            assert fixed.reading.bytes < plan.reading.bytes
            if one.reads is not None and one.name != "no_page_index":
                assert abs(len(fixed.kept) - one.reads) <= 1


DELTA = {"encoding": "DELTA_BYTE_ARRAY"}

NEAR = {
    "no sentinel": (lambda: slow.subscriptions(never=False), {}, "slow-sentinel"),
    "long bounds": (slow.visits, {"columns": {"url": DELTA}}, "slow-truncated"),
    "days that sort": (lambda: slow.days("%Y-%m-%d"), {"columns": {"day": DELTA}}, "day = '2024-03-15'"),
    "numbers that sort": (lambda: pa.table({"sent": [f"{i:08}" for i in range(slow.ROWS)]}),
        {"columns": {"sent": DELTA}}, "sent BETWEEN '00003000' AND '00003100'"),
    "sorted": (lambda: slow.amounts("all"), {}, "slow-unsorted"),
    "statistics": (slow.orders, {}, "slow-no-statistics"),
    "column orders": (slow.codes, {"columns": {"code": DELTA}}, "slow-distrusted"),
    "NaN counts": (slow.measurements, {}, "slow-no-nan-count"),
    "NaN everywhere": (
        lambda: pa.table({"temperature": [float("nan") if i % 512 == 0 else i / 64 for i in range(slow.ROWS)]}),
        {"statistics_fields": ("bounds", "null_count"), "column_index": False}, "slow-no-nan-count"
    ),
    "page index": (slow.orders, {"row_group_rows": 8_192}, "slow-no-page-index"),
    "pages of 512 rows": (slow.orders, {"page_rows": 512}, "slow-few-rows-a-page"),
    "Bloom filters": (slow.keys, {"columns": {"key": {"bloom_filter": True}}}, "slow-no-bloom"),
    "whole dictionaries": (slow.sessions,
        {"row_group_rows": 1_024, "columns": {"session": {"encoding": "RLE_DICTIONARY"}}}, "slow-dictionary-given-up"),
    "every row matches": (slow.amounts, {}, "amount >= 0"),
    "every row matches, by text": (slow.days, {"columns": {"day": DELTA}}, "day >= '0'"),
    "every row group has most": (slow.amounts, {}, "amount > 5000"),
    "every row is null": (lambda: pa.table({"x": pa.nulls(slow.ROWS, pa.int32())}), {}, "x IS NULL"),
    "nothing matches": (slow.amounts, {}, "amount > 2000000"),
    "one row group": (slow.amounts, {"row_group_rows": slow.ROWS, "page_rows": slow.ROWS}, "slow-unsorted"),
}  # fmt: skip
"""Files without a fault, near to a sample: the table, options, and the condition (or the sample that has it)."""


@pytest.mark.parametrize("near", NEAR)
def test_a_file_without_the_fault_has_no_cause(near, tmp_path):
    table, options, where = NEAR[near]
    path = tmp_path / "near.parquet"
    chosen = {"row_group_rows": slow.GROUP, "page_rows": slow.PAGE, "encoding": "PLAIN"} | options
    pqexplore.write(table(), path, pqexplore.WriteOptions(codec="UNCOMPRESSED", **chosen))
    with pqexplore.ask(path, SAMPLES[where].where if where in SAMPLES else where) as plan:
        assert [cause.sentence for cause in plan.causes] == []
        assert plan.advice == ()


@pytest.mark.parametrize("where", [
    "id = 1009000",
    "id BETWEEN 1000000 AND 1001000",
    "time > TIMESTAMP '2026-03-20 00:00:00Z'",
    "country IS NOT NULL",
    "amount IS NOT NULL",
    "score > 400",
    "score >= 0",
    "user = 'nobody'",
])  # fmt: skip
def test_the_events_have_no_cause(where, tmp_path):
    path = tmp_path / "events.parquet"
    SAMPLES["events"].write(path)
    with pqexplore.ask(path, where) as plan:
        assert plan.causes == ()


def test_a_sentinel_that_is_asked_for_is_none(folder):
    """Rows that end "never" match: a NULL in its place would not."""
    with pqexplore.ask(folder / "slow-sentinel.parquet", "valid_to >= DATE '2025-07-01'") as plan:
        assert "sentinel" not in names(plan)


def test_advice_begins_with_what_saves_most(tmp_path):
    path = tmp_path / "two.parquet"
    keys, amounts = slow.keys(), slow.amounts()
    table = pa.table({"key": keys["key"], "amount": amounts["amount"]})
    options = pqexplore.WriteOptions(row_group_rows=slow.GROUP, encoding="PLAIN", codec="UNCOMPRESSED")  # fmt: skip
    pqexplore.write(table, path, options)
    where = f"{SAMPLES['slow-no-bloom'].where} AND amount BETWEEN 100000 AND 300000"
    with pqexplore.ask(path, where) as plan:
        assert {cause.name for cause in plan.advice} == {"no_bloom", "unsorted"}
        saved = [cause.saves for cause in plan.advice]
        assert saved == sorted(saved, reverse=True)


WRITERS = ("pyarrow", "DuckDB", "polars", "pqexplore")


@needs_option("max_rows_per_page")
@pytest.mark.parametrize("sample", EXPECTED)
def test_the_code_mends_the_file_as_estimated(sample, folder, monkeypatch):
    """Row groups (or pages) are as estimated, within one; bytes within a quarter of those of the pages read before.

    Bytes are compared for our writer only: the others encode the columns in their own ways.
    """
    monkeypatch.chdir(folder)
    with pqexplore.ask(f"{sample}.parquet", SAMPLES[sample].where) as plan:
        cause = plan.causes[0]
        before = plan.reading.bytes, sum(data_bytes(plan).values()), len(plan.kept)
    assert "pqexplore" in cause.code
    for writer in WRITERS:
        if writer not in cause.code:
            continue
        Path("fixed.parquet").unlink(missing_ok=True)
        if writer == "DuckDB":
            duckdb.sql(cause.code[writer])
        else:
            exec(cause.code[writer], {})
        where = cause.evidence.get("where", SAMPLES[sample].where)
        with pqexplore.ask("fixed.parquet", where) as fixed:
            assert cause.name not in names(fixed), writer
            read = len(fixed.kept)
            if cause.name == "no_page_index":
                read = sum(piece.what == "data page" and piece.leaf == 0 for piece in fixed.reading.pieces)
            if cause.reads is not None:
                assert abs(read - cause.reads) <= 1, writer
            if writer == "pqexplore":
                saved = before[0] - fixed.reading.bytes
                assert abs(saved - cause.saves) <= 0.25 * before[0], writer


REWRITTEN = [
    (slow.orders, "number + 3 = 30000", "number = 29997"),
    (slow.orders, "CAST(number AS STRING) = '30000'", "number = 30000"),
    (slow.orders, "30000 >= CAST(number AS DOUBLE) AND number > 29000", "number <= 30000 AND number > 29000"),
    (slow.codes, "substring(code, 1, 6) = 'C00012'", "code LIKE 'C00012%'"),
    (slow.codes, "lower(code) = 'c0001234'", "code = 'C0001234'"),
    (lambda: slow.subscriptions(never=False), "year(valid_to) = 2022",
        "(valid_to >= DATE '2022-01-01' AND valid_to < DATE '2023-01-01')"),
    (slow.moments, "CAST(moment AS DATE) = DATE '2026-01-03'",
        "(moment >= TIMESTAMP_NTZ '2026-01-03 00:00:00' AND moment < TIMESTAMP_NTZ '2026-01-04 00:00:00')"),
]  # fmt: skip
"""Conditions that skip nothing as they are written, and the same in other words."""


def rows(path, where):
    """How many rows meet a condition, by DuckDB."""
    where = where.replace("TIMESTAMP_NTZ", "TIMESTAMP")
    return duckdb.sql(f"SELECT count(*) FROM '{path}' WHERE {where}").fetchall()[0][0]


@pytest.mark.parametrize(("table", "where", "rewritten"), REWRITTEN)
def test_a_condition_that_is_not_compared_is_said_in_other_words(table, where, rewritten, tmp_path):
    path = tmp_path / "table.parquet"
    pqexplore.write(table(), path, pqexplore.WriteOptions(row_group_rows=slow.GROUP))
    with pqexplore.ask(path, where) as plan:
        (cause,) = plan.causes
        assert cause.name == "not_pushed"
        assert cause.evidence["where"] == cause.code["SQL"] == rewritten
    with pqexplore.ask(path, rewritten) as fixed:
        assert len(fixed.kept) == cause.reads
        assert plan.reading.bytes - fixed.reading.bytes == cause.saves
    assert rows(path, where) == rows(path, rewritten) > 0


def test_an_or_is_asked_by_its_sides(tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    table = pa.table({"number": slow.orders()["number"], "code": slow.codes()["code"]})
    pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=slow.GROUP))
    with asked(path, "number = 300 OR code = 'C0016000'", NoOr, monkeypatch) as plan:
        (cause,) = plan.causes
        assert (cause.name, cause.reads) == ("not_pushed", 2)
        union = cause.code["SQL"].replace("FROM t", f"FROM '{path}'")
        assert len(duckdb.sql(union).fetchall()) == rows(path, plan.where) == 2
    with asked(path, "number >= 0 OR code = 'C0016000'", NoOr, monkeypatch) as plan:
        assert plan.causes == ()  # one side reads everything


@pytest.mark.parametrize("where", [
    "number * 2 = 60000",  # no rewrite is known
    "CAST(number AS INT) = 30000",  # larger numbers wrap around, or fail
    "CAST(number AS STRING) = '030000'",  # TRUE for no number
    "CAST(number AS STRING) > '30000'",  # the order of text is another one
    "number + 0 >= 0",  # every row matches
    "number + 1 > 5000000000000000000",  # the sum may overflow
    "number + 3 = 30000 OR payload = 1",  # the other half skips nothing
    "upper(number) = 'A'",  # it is no text
])  # fmt: skip
def test_a_condition_without_an_equal_one_is_left_alone(where, tmp_path):
    path = tmp_path / "orders.parquet"
    pqexplore.write(slow.orders(), path, pqexplore.WriteOptions(row_group_rows=slow.GROUP))
    with pqexplore.ask(path, where) as plan:
        assert plan.causes == ()


@needs_option("max_rows_per_page")
def test_names_of_a_file_are_quoted_in_the_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = 'a\'); DROP "b" --'
    table = slow.amounts().rename_columns([name, "payload"])
    options = pqexplore.WriteOptions(row_group_rows=slow.GROUP, encoding="PLAIN")
    pqexplore.write(table, "it's.parquet", options)
    with pqexplore.ask("it's.parquet", f"`{name}` BETWEEN 560000 AND 570000") as plan:
        (cause,) = plan.causes
    for writer in WRITERS:
        Path("fixed.parquet").unlink(missing_ok=True)
        duckdb.sql(cause.code[writer]) if writer == "DuckDB" else exec(cause.code[writer], {})
        with pqexplore.open("fixed.parquet") as file:
            first = np.asarray(file.read()[name])
        assert (np.diff(first) >= 0).all(), writer


def test_values_are_read_within_a_bound(folder, monkeypatch):
    """Half of the row groups are within the bound: the sentence says so, and the estimate is scaled."""
    from pqexplore.insight.ask.why_not_pruned import value_evidence

    monkeypatch.setattr(value_evidence, "MAX_VALUES", slow.ROWS // 2)
    with pqexplore.ask(folder / "slow-sentinel.parquet", SAMPLES["slow-sentinel"].where) as plan:
        (cause,) = plan.causes
        assert "(by the values of 4 row groups)" in cause.sentence
    monkeypatch.setattr(value_evidence, "MAX_VALUES", 10)
    with pqexplore.ask(folder / "slow-sentinel.parquet", SAMPLES["slow-sentinel"].where) as plan:
        assert plan.causes == ()


def test_a_sentinel_of_text(tmp_path):
    path = tmp_path / "text.parquet"
    texts = ["zzz" if i % 97 == 0 else f"a{i:06}" for i in range(slow.ROWS)]
    pqexplore.write(pa.table({"x": texts}), path, pqexplore.WriteOptions(row_group_rows=slow.GROUP, **DELTA))
    with pqexplore.ask(path, "x BETWEEN 'a016000' AND 'a016100'") as plan:
        (cause,) = plan.causes
        assert cause.name == "sentinel"
        assert cause.evidence["values"] == ["zzz"]


def test_dates_whose_form_is_not_clear_are_read_as_they_sort_best(tmp_path):
    """Month first: the form that lets the query skip most is proposed."""
    path = tmp_path / "days.parquet"
    first = datetime.date(2020, 1, 1)
    texts = [(first + datetime.timedelta(days=i // 8)).strftime("%m/%d/%Y") for i in range(slow.ROWS)]  # fmt: skip
    options = pqexplore.WriteOptions(row_group_rows=slow.GROUP, **DELTA)
    pqexplore.write(pa.table({"day": texts}), path, options)
    with pqexplore.ask(path, "day = '03/15/2024'") as plan:
        assert names(plan) == ["text_dates"]
        assert plan.causes[0].evidence["form"] == "%m/%d/%Y"


@needs_option("max_rows_per_page")
def test_a_terminal_shows_the_advice_and_code_to_copy(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pqexplore.ask("slow-unsorted.parquet", SAMPLES["slow-unsorted"].where) as plan:
        lines = list(plan_report(plan, 100))
    advice = lines[lines.index("Advice") :]
    assert "Sort the rows by `amount`" in " ".join(advice)
    first = next(i for i, line in enumerate(advice) if line.startswith("  pyarrow"))
    exec("\n".join(line[4:] for line in advice[first + 1 :]), {})
    with pqexplore.open("fixed.parquet") as file:
        assert (np.diff(np.asarray(file.read()["amount"])) >= 0).all()
