"""How the tables of defects write a record: versions of what `check()` sees, and links, are said once."""

from __future__ import annotations

import re
from collections.abc import Callable

from pqexplore.engine.check.writers import FAULTS
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.rule import Severity
from pqexplore.insight.writers.defect import BOUNDS, Defect, Seen
from pqexplore.insight.writers.known import BY_NAME

_JIRA = re.compile(r"(ARROW|DRILL|IMPALA|PARQUET|SPARK)-\d+$")
_GITHUB = re.compile(r"([\w.-]+/[\w.-]+)#(\d+)$")


ENDED = {"parquet-cpp": (2, 0, 0)}
"""Applications with versions below this one only: Arrow C++ called itself parquet-cpp until its version 2."""


def link(name: str, library: str) -> str:
    """The address of an issue, `PARQUET-251` or `apache/arrow#34086`; that of the writer for anything else."""
    if _JIRA.match(name):
        return f"https://issues.apache.org/jira/browse/{name}"
    issue = _GITHUB.match(name)
    if issue:
        return f"https://github.com/{issue[1]}/issues/{issue[2]}"
    return BY_NAME[library].url


def by_check(
    name: str,
    library: str,
    severity: Severity,
    what: str,
    hurts: str,
    *,
    url: str = "",
    built_by: str = "",
    test: Callable[[ParquetFile], Seen | None] | None = None,
    concerns: Callable[[ParquetFile], bool] = lambda file: True,
    misleads: str = BOUNDS,
) -> Defect:
    """A defect that a finding of `check()` shows; its versions are those of the fault that names it there.

    `test` sees it without a check.
    """
    faults = [one for one in FAULTS if one.source == name]
    fixed = [one.fixed or ENDED[one.app] for one in faults if one.fixed or one.app in ENDED]
    since = [one.since for one in faults if one.since is not None]
    return Defect(
        name,
        library,
        what,
        hurts,
        severity,
        url or link(name, library),
        min(since) if len(since) == len(faults) else None,
        max(fixed) if fixed else None,
        any(one.unnumbered for one in faults),
        built_by,
        test,
        checked=True,
        concerns=concerns,
        misleads=misleads,
    )
