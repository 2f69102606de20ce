"""Files of writers that are known for a defect, and near misses."""

import pyarrow as pa
from insight.doctor.doctor_cases import NUMBERS, Case, written
from insight.writers.defective_files import FILES
from made import ours


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
        f"The file shows {name}, a known defect of ",
        made=f"A file of such a version that has {name}; docs/writers.md says what that is.",
        spared="A file of the same version without it.",
    )


def _of_pyarrow(application):
    """A file of pyarrow that names another application, one with a name of the same length."""
    data = written(NUMBERS.slice(0, 10))
    assert data.count(b"parquet-cpp-arrow") == 1
    return data.replace(b"parquet-cpp-arrow", application.ljust(17).encode())


CASES = [
    _shown("known-writer-defect-shown", "PARQUET-1358"),
    _shown("known-writer-defect-in-pages", "apache/parquet-java#3122"),
    Case(
        "known-writer-defects",
        _known("1.9.0"),
        _known("1.13.1"),
        "Parquet Java 1.9.0 is known for 1 defect by which readers get wrong values or none, and which can concern this "
        "file: level `data` looks for PARQUET-1246.",
        made="created_by says Parquet Java 1.9.0.",
        spared="It says 1.13.1.",
    ),
    Case("writer-disagrees", lambda: _of_pyarrow("impala"), lambda: _of_pyarrow("parquet-cpp-velox"),
        f"created_by names Impala {pa.__version__}, and the footer looks as Arrow C++ writes it",
        made="A file of pyarrow whose created_by says Impala.",
        spared="Its created_by says parquet-cpp-velox, which is built on the same library."),
]  # fmt: skip
