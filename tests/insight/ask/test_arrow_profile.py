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

NOT_ASKED = {"li[0] = 5"}
"""Conditions that `observed.pyarrow` cannot put as an expression of Arrow."""


def planned(file, where, columns=None):
    return pqexplore.ask(file, where, columns=columns, engine="pyarrow")


def compared(plans, read=False):
    """For each plan: the row groups that it keeps, and what Arrow says."""
    outcomes = run("pyarrow_process", [observer.job(plan, read) for plan in plans])["outcomes"]
    ours = [[group.index for group in plan.kept] for plan in plans]
    return [(plan, own, other) for plan, own, other in zip(plans, ours, outcomes, strict=True)]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """By file: the conditions, the row groups that the profile keeps, and those that Arrow keeps."""
    paths = profile_cases.write_all(tmp_path_factory.mktemp("arrow"))
    plans, of = [], []
    for name, path in paths.items():
        with pqexplore.open(str(path)) as file:
            for one in profile_cases.PREDICATES:
                try:
                    plan = planned(file, one.sql)
                    observer.job(plan, read=False)
                except UsageError:
                    continue
                plans.append(plan)
                of.append((name, one.sql))
            found = compared(plans[-1:])  # the job is made while the file is open
            assert "error" not in found[0][2]
    made = {name: {} for name in paths}
    for (name, sql), (_, own, other) in zip(of, compared(plans), strict=True):
        made[name][sql] = own, other.get("row_groups", other)
    return made


@pytest.mark.parametrize("name", profile_cases.FILES)
def test_arrow_keeps_the_row_groups_of_the_profile(asked, name):
    wrong = {sql: found for sql, found in asked[name].items() if found[0] != found[1]}
    assert not wrong
