"""The code that rules propose runs, and the file that it writes is fixed."""

import ast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.cases import CASES
from insight.doctor.doctor_cases import written
from made import ours
from needs import needs_pyarrow

import pqexplore
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.rules import (
    RULES,
    compression,
    dictionaries,
    encodings,
    filters,
    layout,
    order,
    pages,
    skipping,
)
from pqexplore.insight.lenses.lens import finish

duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")
pytestmark = needs_pyarrow(26, "its writer lacks options that the code names")

MODULES = (layout, compression, dictionaries, encodings, skipping, order, filters, pages)
TRIED = [
    case
    for case in CASES
    if case.rule in {rule.name for module in MODULES for rule in module.RULES}
    and case.rule not in ("many-columns", "no-rows")
]


def found(data, rule):
    with pqexplore.open(data) as file:
        return [one for one in finish(steps(file, RULES[rule].level)).findings if one.rule == rule]


def run(writer, code, table, path):
    """Runs the code of a finding on a table, so that it writes `path`."""
    names = {"table": table, "path": path, "pq": pq, "pqexplore": pqexplore}
    if writer == "pyarrow":
        exec(code, names)
    elif writer == "polars":
        exec(code, names | {"df": polars.from_arrow(table)})
    elif writer == "pqexplore":
        pqexplore.write(table, path, eval(code, names))
    else:
        assert writer == "DuckDB"
        with duckdb.connect() as connection:
            connection.register("tbl", table)
            connection.execute(code.replace("'file.parquet'", f"'{path}'"))


@pytest.mark.parametrize("case", TRIED, ids=lambda case: case.rule)
def test_the_code_of_a_finding_mends_the_file(case, tmp_path):
    data = case.make()
    [one] = found(data, case.rule)
    table = pq.read_table(pa.BufferReader(data))
    for writer, code in one.code.items():
        if writer == "Spark":
            ast.parse(code)
            continue
        path = tmp_path / f"{writer}.parquet"
        run(writer, code, table, str(path))
        assert found(path.read_bytes(), case.rule) == [], (writer, code)


NASTY = "x'); import os #"


def test_a_name_in_code_stays_a_name():
    """A column's name comes from the file: a quote in it does not end the string in the code."""
    table = pa.table({NASTY: list(range(150_000)) * 2})
    options = {"bloom_filter": True, "bloom_filter_bytes": 1 << 17}
    codes = []
    for data in (written(table), ours(table, columns={(NASTY,): options})):
        with pqexplore.open(data) as file:
            for one in finish(steps(file, "data")).findings:
                codes += [code for writer, code in one.code.items() if writer != "DuckDB"]
    assert sum("import os" in code for code in codes) > 4
    for code in codes:
        assert len(ast.parse(code).body) == 1, code
