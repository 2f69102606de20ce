"""A prediction of a sorted file, held against the file that is then written."""

import os

import numpy as np
import pyarrow as pa
import pytest
from insight.what_if.what_if_cases import TABLES
from made import parquet

import pqexplore
from pqexplore.engine.errors import UsageError

SORTS = {
    "numbers": ("small", "-price"),
    "text": ("city",),
    "nulls": ("-flag", "some"),
    "nested": ("-s.y",),
    "times": ("-at",),
    "no rows": ("id",),
}


def written(table, **options):
    return parquet(table, **({"row_group_size": 1_000} | options))


def rewritten(data, target, options, sort):
    with pqexplore.open(data) as file:
        return pqexplore.rewrite(file, target, options, sort=sort, verify=False)


@pytest.mark.parametrize("name", TABLES)
def test_a_sorted_prediction_is_the_size_of_the_file_that_is_written(name, tmp_path):
    data = written(TABLES[name])
    trial = pqexplore.what_if(data, columns=[TABLES[name].column_names[0]])
    options = pqexplore.WriteOptions(row_group_rows=700, codec="ZSTD")
    predicted = trial.predict(options, sort=SORTS[name])
    plan = rewritten(data, tmp_path / "new.parquet", options, SORTS[name])
    assert predicted.size == os.path.getsize(tmp_path / "new.parquet") == plan.size
    assert not predicted.sampled and predicted.error == 0
    assert (predicted.row_groups, predicted.footer) == (plan.num_row_groups, plan.footer_bytes)
    assert predicted.pages == sum(chunk.num_pages for chunk in plan.chunks)
    assert predicted.indexes == sum(one.column_index + one.offset_index for one in plan.chunks)


@pytest.fixture(scope="module")
def many():
    """A file of 40 row groups in no order, whose values are not spread evenly."""
    random = np.random.default_rng(5)
    rows = 40_000
    city = random.zipf(1.5, rows) % 50
    table = pa.table(
        {
            "city": [f"city {number}" for number in city],
            "day": pa.array(random.integers(0, 365, rows).tolist(), pa.date32()),
            "price": city * 10 + random.integers(0, 10, rows),
            "tags": [["a"] * int(n) for n in random.integers(0, 3, rows)],
        }
    )
    return written(table)


@pytest.mark.parametrize(
    "sort", [("city", "day"), *(pytest.param(sort, marks=pytest.mark.full) for sort in (("-day",), ("price",)))]
)
def test_some_row_groups_of_the_sorted_file_are_a_fair_sample(many, sort, tmp_path, monkeypatch):
    trial = pqexplore.what_if(many, columns=["city"])
    seconds = iter(range(1_000))
    monkeypatch.setattr("pqexplore.insight.what_if.budget.time.monotonic", lambda: next(seconds))
    object.__setattr__(trial, "budget", pqexplore.Budget(seconds=45))
    predicted = trial.predict(sort=sort)
    plan = rewritten(many, tmp_path / "new.parquet", trial.best, sort)
    assert predicted.sampled
    assert abs(predicted.size - plan.size) < 0.05 * plan.size
    assert abs(predicted.size - plan.size) < 1.5 * predicted.error
    assert predicted.row_groups == plan.num_row_groups == 40


def test_a_key_that_rows_cannot_be_sorted_by(many):
    with pytest.raises(UsageError, match="it is repeated; possible are city, day, price"):
        pqexplore.what_if(many, columns=["city"]).predict(sort=["tags.list.element"])
