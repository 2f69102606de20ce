"""Sort orders, row groups and pages: what they save and buy, held against the files that are then written."""

import io
import json
import re
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.what_if.what_if_cases import TABLES
from made import parquet

import pqexplore
from pqexplore.cli import main
from pqexplore.insight.what_if import layouts, orders, savings
from pqexplore.insight.what_if.saving import Kind, Saving
from pqexplore.insight.wording import size

ROWS = 6_000
GROUPS = 10
_RANDOM = np.random.default_rng(9)
NOISE = _RANDOM.integers(0, 1 << 60, ROWS)
DAYS = _RANDOM.integers(0, 300, ROWS)
SHUFFLED = {
    "city": [f"city {number}" for number in _RANDOM.integers(0, 30, ROWS)],
    "day": pa.array(DAYS.tolist(), pa.date32()),
    "amount": pa.array(DAYS // 30, pa.int32()),
    "tags": [["a"] * int(number) for number in _RANDOM.integers(0, 3, ROWS)],
}
LONG = pqexplore.Budget(seconds=120, bytes=1 << 30)


def written(table, **options):
    return parquet(pa.table(table), **({"row_group_size": ROWS // GROUPS} | options))


def found(data, kind, budget=LONG):
    trial = pqexplore.what_if(data, budget=budget)
    return trial, [one for one in trial.savings if one.kind == kind]


@pytest.fixture(scope="module")
def shuffled():
    """A file of rows in no order, with all that was found of it."""
    data = written(SHUFFLED)
    return data, pqexplore.what_if(data, budget=LONG)


def held_against(data, trial, one, tmp_path):
    with pqexplore.open(data) as file:
        options = one.options or trial.best
        plan = pqexplore.rewrite(file, tmp_path / "new.parquet", options, sort=one.sort, verify=False)  # fmt: skip
    assert abs(one.bytes - plan.size) <= (0.05 if one.sampled else 0.02) * plan.size, one
    (tmp_path / "new.parquet").unlink()
    return plan


def test_each_saving_is_the_size_of_the_file_that_is_written(shuffled, tmp_path):
    data, trial = shuffled
    assert {one.kind for one in trial.savings} >= {Kind.ORDER, Kind.ROW_GROUPS, Kind.PAGES}
    changes = [one.bytes - one.without for one in trial.savings]
    assert changes == sorted(changes)
    for one in trial.savings:
        if one.kind in (Kind.ORDER, Kind.PAGES, Kind.ROW_GROUPS):
            plan = held_against(data, trial, one, tmp_path)
            assert size(one.bytes) in one.sentence and one.without == trial.predict().size
            assert one.bytes == plan.size or one.sampled
            assert one.bytes == trial.predict(one.options or trial.best, sort=one.sort).size


class TestOrders:
    def test_few_values_first_then_the_time(self, shuffled):
        sorts = [one.sort for one in shuffled[1].savings if one.kind == Kind.ORDER]
        assert ("amount", "city", "day") in sorts and ("day",) in sorts
        assert not any("tags" in path for sort in sorts for path in sort)

    def test_the_row_groups_that_a_search_reads(self, shuffled, tmp_path):
        data, trial = shuffled
        [one] = [one for one in trial.savings if one.sort == ("day",)]
        said = re.search(
            r"search for one value of `day` reads ([\d.]+) of (\d+) row groups on average, today ([\d.]+) of (\d+)",
            one.sentence,
        )
        with pqexplore.open(data) as file:
            pqexplore.rewrite(file, tmp_path / "new.parquet", trial.best, sort=one.sort)
        counted = []
        for path in (tmp_path / "new.parquet", io.BytesIO(data)):
            metadata = pq.ParquetFile(path).metadata
            bounds = [metadata.row_group(at).column(1).statistics for at in range(GROUPS)]
            days = SHUFFLED["day"].to_pylist()
            reads = [sum(each.min <= day <= each.max for each in bounds) for day in days]
            counted += [f"{sum(reads) / ROWS:.1f}", str(GROUPS)]
        assert list(said.groups()) == counted
        assert float(counted[0]) < 2 < 9 < float(counted[2])

    @pytest.mark.parametrize("table", [
        pytest.param({"noise": NOISE}, id="one column of noise"),
        pytest.param({"day": pa.array(np.sort(DAYS).tolist(), pa.date32())}, id="sorted"),
        pytest.param({"one": [7] * ROWS, "x": NOISE / 3}, id="one value"),
        pytest.param({"tags": SHUFFLED["tags"]}, id="only repeated"),
    ])  # fmt: skip
    def test_where_there_is_nothing_to_gain(self, table):
        _, none = found(written(table), Kind.ORDER)
        assert [one.sentence for one in none if "noise" not in one.sort] == []
        assert all(one.sort == ("noise",) and "By min and max" in one.sentence for one in none)

    def test_without_statistics_nothing_is_said_of_what_a_search_reads(self):
        _, some = found(written({"city": SHUFFLED["city"], "day": SHUFFLED["day"]}, write_statistics=False), Kind.ORDER)  # fmt: skip
        assert some and not any("search" in one.sentence for one in some)

    def test_nulls_and_nans(self, tmp_path):
        values = [None if i % 5 == 0 else float("nan") if i % 5 == 1 else i % 3 for i in DAYS]
        data = written({"x": pa.array(values, pa.float64()), "city": SHUFFLED["city"]})
        trial, some = found(data, Kind.ORDER)
        assert ("x",) in [one.sort for one in some]
        for one in some:
            held_against(data, trial, one, tmp_path)

    @pytest.mark.full
    def test_an_estimate_says_its_error(self, tmp_path, monkeypatch):
        columns = {"city": SHUFFLED["city"], "x": NOISE % 100_000, "y": NOISE // 7 % 100_000}
        data = written(columns, row_group_size=ROWS // 30)
        trial = pqexplore.what_if(data, budget=LONG)
        begun = time.monotonic()
        ticks = iter(range(10_000))
        monkeypatch.setattr("pqexplore.insight.what_if.budget.time.monotonic", lambda: begun + next(ticks))  # fmt: skip
        monkeypatch.setattr(savings, "FINDERS", (orders.orders,))
        some = trial.savings_within(pqexplore.Budget(seconds=200, bytes=1 << 30))
        monkeypatch.undo()
        estimates = [one for one in some if one.sampled]
        assert any(one.error is not None for one in estimates)
        for one in estimates:
            doubt = "Its error is not known" if one.error is None else f"± {size(one.error)}"
            assert "about" in one.sentence and doubt in one.sentence
            if one.error is not None:
                held_against(data, trial, one, tmp_path)


class TestLayouts:
    def test_row_groups_of_other_writers(self, shuffled, tmp_path):
        data, trial = shuffled
        [one] = [one for one in trial.savings if one.kind == Kind.ROW_GROUPS]
        assert one.choice == "row groups of 122,880 rows"
        assert one.options.row_group_rows == 122_880
        plan = held_against(data, trial, one, tmp_path)
        assert plan.num_row_groups == 1 and ": 1 instead of 10." in one.sentence
        assert f"footer has {size(plan.footer_bytes)} instead of " in one.sentence
        assert "cover up to 6,000 rows instead of 600." in one.sentence

    def test_one_row_group_that_any_writer_would_write_is_left_alone(self):
        _, none = found(written(SHUFFLED, row_group_size=ROWS), Kind.ROW_GROUPS)
        assert none == []

    def test_a_size_that_the_footer_makes_up_asks_for_no_tiny_row_groups(self):
        with pqexplore.open(written({"a": [1, 2, 3]})) as file:
            trial = pqexplore.what_if(file, budget=LONG)
            file.row_groups[0].metadata.total_byte_size = 1 << 60
            assert not [one for one in trial.savings if one.kind == Kind.ROW_GROUPS]

    def test_row_groups_by_bytes(self, monkeypatch):
        with pqexplore.open(written({"a": NOISE}, row_group_size=ROWS)) as file:
            trial = pqexplore.what_if(file, budget=LONG)
            decoded = file.row_groups[0].metadata.total_byte_size
            monkeypatch.setattr(layouts, "SPLIT", decoded * 9 // 10)
            [one] = [one for one in trial.savings if one.kind == Kind.ROW_GROUPS]
        assert one.options.row_group_rows == 5_400 or one.options.row_group_rows == 5_399
        assert f"({size(decoded * 9 // 10)} before compression, as Spark writes): 2 instead of 1." in one.sentence  # fmt: skip

    def test_pages(self, tmp_path):
        data = written({"a": NOISE, "b": NOISE // 3 % 999}, row_group_size=ROWS)
        trial, some = found(data, Kind.PAGES)
        by_choice = {one.choice: one for one in some}
        assert sorted(by_choice) == ["V2 pages", "pages of 8 KiB"]  # others make the same pages
        one = by_choice["pages of 8 KiB"]
        plan = held_against(data, trial, one, tmp_path)
        pages = sum(chunk.num_pages for chunk in plan.chunks)
        indexes = sum(chunk.column_index + chunk.offset_index for chunk in plan.chunks)
        assert f": {pages} instead of 2, with {2 * ROWS // pages:,} values each on average instead of 6,000." in one.sentence  # fmt: skip
        assert f"page indexes have {size(indexes)} instead of " in one.sentence

    def test_pages_that_stay_the_same_are_not_listed(self):
        _, none = found(written({"a": [1, 2, 3]}), Kind.PAGES)
        assert [one.choice for one in none] == ["V2 pages"]

    def test_v2_pages(self, shuffled, tmp_path):
        data, trial = shuffled
        [one] = [one for one in trial.savings if one.choice == "V2 pages"]
        plan = held_against(data, trial, one, tmp_path)
        assert f"the file takes {size(plan.size)} instead of {size(trial.predict().size)}; today it takes {size(len(data))}." in one.sentence  # fmt: skip


EMPTY = {
    "no rows": pa.table({"a": pa.array([], pa.int32())}),
    "one row": pa.table({"a": [1], "b": ["x"]}),
    "no columns": pa.table({"a": [1, 2]}).select([]),
}


@pytest.mark.parametrize("name", EMPTY)
def test_files_with_hardly_anything(name):
    assert found(written(EMPTY[name]), Kind.ORDER)[1] == []
    assert found(written(EMPTY[name]), Kind.ROW_GROUPS)[1] == []


@pytest.mark.parametrize("name", TABLES)
def test_small_files_of_many_shapes(name, tmp_path):
    data = written(TABLES[name], row_group_size=1_000)
    trial = pqexplore.what_if(data, budget=LONG)
    for one in trial.savings:
        if one.kind in (Kind.ORDER, Kind.PAGES, Kind.ROW_GROUPS):
            held_against(data, trial, one, tmp_path)


def test_a_damaged_or_encrypted_column_costs_the_orders_only(tmp_path):
    data = bytearray(written(SHUFFLED, compression="none"))
    chunk = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(1).column(0)
    start = chunk.dictionary_page_offset
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    assert found(bytes(data), Kind.ORDER)[1] == []
    path = tmp_path / "encrypted.parquet"
    locked = pqexplore.Encryption(b"k" * 16, {"city": b"c" * 16}, plaintext_footer=True)
    pqexplore.write(pa.table(SHUFFLED), path, pqexplore.WriteOptions(encryption=locked))
    assert found(path, Kind.ORDER)[1] == []


def test_no_time_no_savings(shuffled):
    _, trial = shuffled
    assert trial.savings_within(pqexplore.Budget(seconds=1e-9)) == ()


def test_the_work_can_be_cancelled(shuffled):
    data, trial = shuffled
    with pqexplore.open(data) as file:
        work = savings.steps(file, trial.columns, LONG)
        seen = [next(work) for _ in range(3)]
        assert seen == sorted(seen) and seen[-1] <= 1
        file.budget.cancel()
        assert len(list(work)) < 10
        uncancelled = savings.steps(file, trial.columns, LONG)
        assert len(list(uncancelled)) > 30


def saving(kind=Kind.ORDER, without=1_000, bytes_=500, column=None, error=None, skips=False):
    return Saving(kind, column, "", without, bytes_, error, error is not None, "", skips=skips)


@pytest.mark.parametrize(("found", "listed"), [
    ([saving(bytes_=500), saving(bytes_=400)], [400]),  # the best of a kind
    ([saving(Kind.PAGES, bytes_=1_010), saving(Kind.ROW_GROUPS, bytes_=960)], []),  # larger, and hardly smaller
    ([saving(bytes_=1_000, skips=True)], [1_000]),  # a search skips more
    ([saving(bytes_=1_001, skips=True)], []),  # but the file is larger
    ([saving(bytes_=900, error=80)], []),  # by the estimate, perhaps
    ([saving(Kind.BLOOM_FILTERS, 0, 40, skips=True), saving(Kind.PAGE_INDEX, 0, 60, skips=True)], [40]),
    (
        [saving(Kind.TYPE, bytes_=100 * n, column=str(n)) for n in range(1, 8)],
        [100, 200, 300, 400, 500],
    ),  # at most five
])  # fmt: skip
def test_what_is_worth_it_for_a_file_of_1000_bytes(found, listed):
    assert [one.bytes for one in savings.worth(found, 1_000)] == listed


def test_an_order_says_what_it_loses():
    """A search by the identifier skips today, and not in the order of cities."""
    cities = [f"city {n % 7}" for n in range(ROWS)]
    data = written({"city": cities, "id": np.arange(ROWS) * 1_000_003})
    _, some = found(data, Kind.ORDER, pqexplore.Budget(seconds=20))
    [one] = [one for one in some if one.sort == ("city",)]
    assert "But a search for one value of `id` reads" in one.sentence and not one.skips


class TestCommand:
    @pytest.fixture
    def path(self, shuffled, tmp_path):
        (tmp_path / "shuffled.parquet").write_bytes(shuffled[0])
        return str(tmp_path / "shuffled.parquet")

    def test_each_saving_is_a_line(self, path, capsys):
        assert main(["what-if", path, "--seconds", "60"]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert re.search(r"Sorted by .*?, the file takes [\d.]+ kB with the best choice of each column instead of", out)
        assert out.count("Sorted by") == 1 and "pages of" not in out.lower()
        assert "Row groups of 122,880 rows (as DuckDB writes): 1 instead of 10." in out

    def test_json_has_the_arguments_of_rewrite(self, path, capsys):
        assert main(["what-if", path, "--seconds", "60", "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)["savings"]
        [order] = [one for one in listed if one["sort"]]
        assert (order["kind"], order["options"], order["types"]) == ("sort order", None, {})
        [groups] = [one for one in listed if one["kind"] == "row groups"]
        assert groups["options"]["row_group_rows"] == 122_880
        assert layouts.USUAL_ROWS == 122_880

    def test_half_of_the_seconds_each(self, path, capsys):
        begun = time.monotonic()
        assert main(["what-if", path, "--seconds", "2"]) == 0
        assert time.monotonic() - begun < 8  # on a busy machine; what is begun is finished
        assert capsys.readouterr().out.startswith("4 columns take")
