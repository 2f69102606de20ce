"""Files for the rules about how bytes are laid out and what they let a query skip."""

import pyarrow as pa
from insight.doctor.doctor_cases import NUMBERS, Case, written
from made import rebuilt


def groups(*parts, **options):
    """A file of pyarrow with the values of each part in a row group of its own; all parts are equally long."""
    table = pa.table({"n": pa.array([value for part in parts for value in part])})
    return written(table, row_group_size=len(parts[0]), **options)


def without_statistics(data, *row_groups):
    """A file whose first column has no statistics in these row groups."""

    paths = (f"row_groups__{index}__columns__0__meta_data__statistics" for index in row_groups)
    return rebuilt(data, **dict.fromkeys(paths))


CASES = [
    Case(
        "some-statistics",
        lambda: without_statistics(written(NUMBERS, row_group_size=5_000), 1, 2),
        lambda: without_statistics(written(NUMBERS, row_group_size=5_000), 0, 1, 2, 3),
        "`n` has no statistics in 2 of 4 row groups: a query with a condition on it always reads these.",
        "pyarrow writes 4 row groups; the statistics of two are removed from the footer.",
        "The statistics of all four are removed: that is `no-statistics`.",
    ),
]  # fmt: skip
