"""The rules about how bytes are laid out and what they let a query skip: where each speaks, and where it is silent."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.cases_bytes import groups, without_statistics
from insight.doctor.doctor_cases import written

import pqexplore
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.lenses.lens import finish


def found(data, rule, level="footer"):
    """The diagnoses of one rule."""
    with pqexplore.open(data) as file:
        return [one for one in finish(steps(file, level)).findings if one.rule == rule]


def said(data, rule, level="footer"):
    """The sentence of the only diagnosis of a rule; "" without one."""
    return "".join(one.sentence for one in found(data, rule, level))


SORTED = [pq.SortingColumn(0)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (groups([1, 2], [2, 3], [4, 5]), "the 3 row groups are in the order of `n`, and"),
        (groups([5, 4], [3, 2], [1, 0]), "in the order of `n` (descending), and"),
        (groups([1, 2], [3, 4], [5, None]), "order of `n`, and"),
        (groups([None, 1], [2, 3], [4, 5]), "order of `n`, and"),
        (groups([1, 1], [1, 1], [1, 2]), "order of `n`, and"),
        (groups([1, 1], [1, 1], [1, 1]), ""),  # one value is in no order
        (groups([1, 2], [1, 2], [1, 2]), ""),
        (groups([1, 2], [3, 4]), ""),  # two row groups are in some order always
        (groups([1, 2], [None, 3], [4, 5]), ""),  # a null in the middle
        (groups([None, 2], [3, 4], [5, None]), ""),
        (groups([1, 2], [None, None], [4, 5]), ""),
        (groups([1, 2], [3, 4], [5, 6], sorting_columns=SORTED), ""),
        (groups([1, 2], [3, 4], [5, 6], write_statistics=False), ""),
    ],
)
def test_an_order_that_is_not_declared(data, words):
    sentence = said(data, "order-not-declared")
    assert words in sentence and bool(words) == bool(sentence)


@pytest.mark.parametrize(
    ("data", "descending", "nulls_first"),
    [
        (groups([5, 4], [3, 2], [1, None]), True, False),
        (groups([None, 1], [2, 3], [4, 5]), False, True),
    ],
)
def test_the_order_to_declare_is_that_of_the_rows(data, descending, nulls_first):
    [one] = found(data, "order-not-declared")
    options = eval(one.code["pqexplore"])
    assert options.sorting_columns == [("n", descending, nulls_first)]
    pqexplore.write(pq.read_table(pa.BufferReader(data)), pa.BufferOutputStream(), options)


@pytest.mark.parametrize(
    ("data", "rule", "words"),
    [
        (groups([1], [2], write_statistics=False), "no-statistics", "`n` has no statistics in any row group: a query with a condition on it reads all 2"),
        (
            written(pa.table({"a": [1, 2], "b": [1, 2]}), row_group_size=1, write_statistics=False),
            "no-statistics",
            "`a` and `b` have no statistics in any row group: a query with a condition on one of them reads",
        ),
        (
            # The list has statistics, and no bounds of a list let a reader skip: it is not spoken of.
            written(pa.table({"a": [1, 2], "l": [[1], [2]]}), row_group_size=1, write_statistics=["l.list.element"]),
            "no-statistics",
            "`a` has no statistics",
        ),
        (without_statistics(groups([1], [2]), 0), "no-statistics", ""),
        (without_statistics(groups([1], [2]), 0), "some-statistics", "in 1 of 2 row groups: a query with a condition on it always reads this one."),
        (groups([1], [2]), "some-statistics", ""),
        (groups([1], [None]), "some-statistics", ""),
    ],
)  # fmt: skip
def test_statistics_that_are_absent(data, rule, words):
    sentence = said(data, rule)
    assert words in sentence and bool(words) == bool(sentence)
