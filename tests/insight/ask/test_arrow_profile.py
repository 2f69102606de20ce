"""The profile of pyarrow against pyarrow: the row groups that it keeps, and the bytes that it reads."""

import datetime
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.ask import profile_cases
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import observed
from pqexplore.insight.ask.engines import engine
from pqexplore.insight.ask.observed import pyarrow as observer
from pqexplore.insight.ask.observed.process import run

pytestmark = needs_pyarrow(26, "the profile is that of version 26")

MORE = (
    *("s LIKE 'k001%'", "s LIKE '%1'", "s NOT LIKE 'k000%'", "gs LIKE '%2'", "gs LIKE 'g2%'", "gs NOT LIKE 'g2%'"),
    *("isnan(fn)", "NOT isnan(fn)", "isnan(f)", "fn = double('NaN')", "fn < double('NaN')", "fn >= double('NaN')"),
    *("fn != double('NaN')", "fn IN (1.25, double('NaN'))", "i = 100.5", "i < 39.5", "i IN (100.5, 3)", "i = '100'"),
    *("d = 1.015", "d > 1.999", "d = 1", "f = 25", "u > -1", "i32 < 3000000000", "st IS NULL", "li IS NULL"),
    *("z NOT IN (0.0, 7.0)", "z IN (-0.0, 7.0)", "bin IN (X'00000003', X'00000064')", "b <=> false", "st.x != 100"),
    *(f"i IN ({', '.join(map(str, range(length)))})" for length in (50, 51)),
    *(f"g IN ({', '.join(map(str, range(2, length + 2)))})" for length in (50, 51)),
)  # fmt: skip
"""Conditions about what pyarrow does in its own way, beside those that all engines are asked."""

NOT_ASKED = ("CAST(i AS STRING) = '100'", "i + 1 = 101", "array_contains(li, 100)", "li[0] = 100")
"""Conditions that are not put to pyarrow: the profile skips nothing by them."""


def job(file, where, columns=None, read=False):
    """A plan for pyarrow, and its query."""
    plan = pqexplore.ask(file, where, columns=columns, engine="pyarrow")
    return plan, observer.job(plan, read)


def kept(plan):
    return [group.index for group in plan.kept]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """By file and condition: the row groups that the profile keeps, and those that Arrow keeps."""
    paths = profile_cases.write_all(tmp_path_factory.mktemp("arrow"))
    ours, jobs = {}, []
    for name, path in paths.items():
        with pqexplore.open(str(path)) as file:
            for where in (*(one.sql for one in profile_cases.PREDICATES), *MORE):
                plan, query = job(file, where)
                ours[name, where] = kept(plan)
                jobs.append(query)
    theirs = [one.get("row_groups", one) for one in run("pyarrow_process", jobs)["outcomes"]]
    return {at: (own, other) for (at, own), other in zip(ours.items(), theirs, strict=True)}


@pytest.mark.parametrize("name", profile_cases.FILES)
def test_arrow_keeps_the_row_groups_of_the_profile(asked, name):
    of_file = {where: found for (file, where), found in asked.items() if file == name}
    assert len(of_file) >= 60
    assert {where: found for where, found in of_file.items() if found[0] != found[1]} == {}
