"""Conditions for which a plan once skipped rows that match, or failed, each with the smallest table that shows it."""

from decimal import Decimal

import pyarrow as pa
import pytest
from insight.ask.soundness import rows_of
from made import ours

import pqexplore
from pqexplore.insight.ask import planning
from pqexplore.insight.ask.engines import ENGINES
from pqexplore.insight.lenses.lens import finish

LONG = Decimal("9999999999999999999999999.9999999999")
MINUS = LONG.copy_negate()
MANY_DIGITS = pa.decimal128(35, 10)
BIG = (1 << 53) + 1

LOST = [
    # values (each a row group), type, condition, the rows that match
    ([MINUS, LONG], MANY_DIGITS, f"x = {MINUS}", {0}),
    ([MINUS, LONG], MANY_DIGITS, f"x IN ({MINUS}, 0)", {0}),
    ([MINUS, LONG], MANY_DIGITS, f"x <= {MINUS}", {0}),
    # With a double in it, a list has doubles only, and 2^53 + 1 is 2^53 as a double.
    ([1, BIG - 1, BIG, BIG + 1], pa.int64(), f"x IN ({BIG}, 1e0)", {0, 1, 2}),
    ([1, BIG - 1, BIG, BIG + 1], pa.int64(), f"x IN ({BIG}, 1)", {0, 2}),
]


def test_a_filter_without_values_rules_nothing_out():
    """parquet-java 1.17 writes Bloom filters for BOOLEAN columns, and adds no value to them."""
    data = bytearray(written([True, False], pa.bool_()))
    with pqexplore.open(bytes(data)) as file:
        chunk = file.row_groups[0].columns[0]
        _, bitset = chunk.bloom_filter_parts
        start, end = bitset.start, bitset.end
    data[start:end] = bytes(end - start)
    plan = finish(planning.steps(pqexplore.open(bytes(data)), "x = TRUE"))
    assert plan.groups[0].ranges == ((0, 2),)
    plan = finish(planning.steps(pqexplore.open(written([5, 7], pa.int64())), "x = 6"))
    assert plan.groups[0].by == "Bloom filter"


def written(values, kind, **options):
    return ours(pa.table({"x": pa.array(values, kind)}), bloom_filter=True, **options)


def opened(values, kind):
    return pqexplore.open(written(values, kind, row_group_rows=1))


@pytest.mark.parametrize("values, kind, condition, matching", LOST, ids=range(len(LOST)))
def test_the_rows_are_read(values, kind, condition, matching):
    plan = finish(planning.steps(opened(values, kind), condition))
    assert matching <= rows_of(plan.groups)
    assert plan.verify().lost == ()


MISSING = ["min_values", "max_values", "null_pages", "boundary_order"]


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_index_that_lacks_a_field_rules_nothing_out(engine, name):
    with opened([5, 6], pa.int64()) as file:
        for group in file.row_groups:
            setattr(group.columns[0].column_index, name, None)
        plan = finish(planning.steps(file, "x = 5", engine=engine))
        assert plan.groups[0].ranges == ((0, 1),)
