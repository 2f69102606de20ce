"""Files of writers that are known for a defect, and near misses."""

import pyarrow as pa
from insight.doctor.doctor_cases import Case, ours
from insight.writers.defective_files import FILES


def _known(version):
    def make():
        table = pa.table({"d": pa.array([1, 2], pa.int32()), "x": [0.5, 1.5]})
        return ours(table, created_by=f"parquet-mr version {version}")

    return make


def _shown(rule, name):
    one = next(case for case in FILES if case.name == name)
    return Case(
        rule,
        lambda: one.bad(created_by=one.of),
        lambda: one.good(created_by=one.of),
        f"is known for a defect that the file shows ({name})",
    )


CASES = [
    _shown("known-writer-defect-shown", "PARQUET-1358"),
    _shown("known-writer-defect-in-pages", "apache/parquet-java#3122"),
    Case(
        "known-writer-defects",
        _known("1.9.0"),
        _known("1.13.1"),
        "Parquet Java 1.9.0 is known for 1 defect by which readers get wrong values or none, and which can concern this "
        "file: level `data` looks for PARQUET-1246.",
    ),
]
