"""Why a condition skips little, by the statistics: where the ranges are the reason, and only there."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight.ask.plan_text import plan_document, plan_report

N = 4_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Eight row groups: `day` is sorted, `price` is not, `mixed` and `kind` have one range, `bare` no statistics."""
    random = np.random.default_rng(3)
    table = pa.table(
        {
            "day": np.arange(N),
            "price": random.permutation(N),
            "within": np.sort(random.permutation(N).reshape(8, -1), axis=1).ravel(),
            "kind": ["a", "b"] * (N // 2),
            "one": [7] * N,
            "void": pa.nulls(N, pa.int32()),
            "bare": np.arange(N),
        }
    )
    path = tmp_path_factory.mktemp("why") / "t.parquet"
    kept = [name for name in table.column_names if name != "bare"]
    pq.write_table(table, path, row_group_size=N // 8, use_dictionary=False, write_statistics=kept)
    return path


NEARLY = "is not sorted across row groups: each row group spans nearly the whole range."


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("price = 2017", [f"`price` {NEARLY}"]),
        ("price BETWEEN 2005 AND 2009 AND within > 2000", [f"`price` {NEARLY}", f"`within` {NEARLY}"]),
        ("kind = 'a' AND day >= 0", [f"`kind` {NEARLY}"]),
        ("day < 10 OR price = 2003", [f"`price` {NEARLY}"]),
        ("bare = 3", ["`bare` has no statistics that a query can use: the writer left none for this column."]),
        # the condition skips much
        ("price = 2017 AND day < 10", []),
        ("price = -1", []),
        # the condition itself asks for much
        ("day > 10", []),
        ("price >= 0", []),
        ("one = 7", []),
        ("price IS NOT NULL", []),
        ("price = 2017 OR TRUE", []),
    ],
)
def test_the_reason_is_named_only_where_it_is_the_reason(path, where, said):
    with pqexplore.ask(path, where) as plan:
        assert list(plan.why_not_more) == said
        lines = " ".join(line.strip() for line in plan_report(plan, 200, advice=False))
        assert all(one in lines for one in said)
        assert ("spans nearly" in lines) == any("spans nearly" in one for one in said)
        assert plan_document(plan, advice=False)["why_not_more"] == said


def test_truncated_ranges_do_not_say_that_sorted_text_is_unsorted(tmp_path):
    sample = SAMPLES["slow-truncated"]
    path = tmp_path / "f.parquet"
    sample.write(path)
    with pqexplore.ask(path, sample.where) as plan:
        assert plan.why_not_more
        assert not any("sorted" in one for one in plan.why_not_more)
