"""Names the writer in findings about faults that some versions of it are known for.

The bytes decide whether there is a fault; `created_by` only adds where it comes from. Names are compared whole: many
writers begin with the name of another.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from pqexplore.engine.finding import Finding
from pqexplore.engine.format.created_by import CreatedBy, Version, parse
from pqexplore.engine.format.field import CONVERTED_NULL

Evidence: TypeAlias = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the writers named `app` (lower case), from version `since` and before `fixed`; None: no such limit.

    `rules` are those that see it, `source` is the writer's issue, or what it is about. `when` tells from a finding's
    evidence whether this fault can be its cause. `unnumbered`: the versions with the fault write their name only. `build`
    is in the suffix of the versions with the fault.
    """

    app: str
    rules: tuple[str, ...]
    source: str
    fixed: Version | None = None
    since: Version | None = None
    when: Callable[[Evidence], bool] = lambda evidence: True
    unnumbered: bool = False
    build: str = ""

    def explains(self, finding: Finding, writer: CreatedBy) -> bool:
        """Whether the finding may come from this fault of the writer."""
        if finding.rule not in self.rules or writer.application.lower() != self.app:
            return False
        if self.build not in writer.suffix:
            return False
        version = writer.version
        if version is None and self.unnumbered:
            return self.when(finding.evidence)
        if self.fixed is not None and (version is None or version >= self.fixed):
            return False
        if self.since is not None and (version is None or version < self.since):
            return False
        return self.when(finding.evidence)

    def __str__(self) -> str:
        versions = "" if self.fixed is None else f" before {'.'.join(map(str, self.fixed))}"
        if self.since is not None:
            versions += f" from {'.'.join(map(str, self.since)).removesuffix('.0').removesuffix('.0')} on"
        return f"a known fault of {self.app}{versions} ({self.source})"


def _multiple(evidence: Evidence) -> bool:
    stated, actual = evidence["null_count"], evidence["values"]
    return bool(stated > actual > 0 and stated % actual == 0)


def _cut(evidence: Evidence) -> bool:
    raw, actual = evidence.get("max"), evidence.get("actual")
    return raw is not None and actual is not None and len(raw) < len(actual)


LARGEST_FLOATS = tuple(kind(sign) * np.finfo(kind).max for sign in (1, -1) for kind in (np.float32, np.float64))


ARROW_GO = (6, 0, 0)
"""The first version of parquet-go that is Arrow Go's; the other writers of that name have no number."""


def _largest_float(evidence: Evidence) -> bool:
    raw = evidence.get("min", evidence.get("max"))
    return any(raw == one.tobytes() for one in LARGEST_FLOATS)


FAULTS = (
    Fault("parquet-mr", ("chunk-size-disagrees",), "PARQUET-816", (1, 2, 9), unnumbered=True),
    Fault("parquet-mr", ("dictionary-page-offset-absent",), "PARQUET-1850", (1, 12, 0)),
    Fault("parquet-mr", ("row-group-file-offset",), "PARQUET-2078", (1, 12, 1), (1, 12, 0)),
    Fault("parquet-mr", ("map-key-value-unknown",), "PARQUET-1879", (1, 11, 1), (1, 11, 0)),
    Fault("parquet-cpp", ("row-group-file-offset",), "PARQUET-2089"),
    Fault("parquet-cpp", ("row-group-size-disagrees",), "PARQUET-2008"),
    Fault("parquet-cpp", ("nan-bound",), "PARQUET-1225", (1, 4, 0)),
    Fault(
        "parquet-cpp",
        ("converted-type-unknown",),
        "columns of nulls",
        when=lambda evidence: evidence["converted_type"] == CONVERTED_NULL,
    ),
    Fault("parquet-cpp-arrow", ("row-group-file-offset",), "PARQUET-2089", (6, 0, 0)),
    Fault("parquet-cpp-arrow", ("row-group-size-disagrees",), "PARQUET-2008", (4, 0, 0)),
    Fault("parquet-cpp-arrow", ("page-versions-confused",), "V2 pages are counted as V1"),
    Fault("parquet-cpp-arrow", ("local-time-converted-type",), "TIME columns"),
    Fault("duckdb", ("data-page-offset",), "duckdb/duckdb#10829", (0, 10, 1), unnumbered=True),
    Fault("duckdb", ("dictionary-page-offset",), "duckdb/duckdb#12096", (0, 10, 3), (0, 10, 1), unnumbered=True),
    Fault("duckdb", ("column-orders-absent",), "duckdb/duckdb#20650", (1, 5, 0), unnumbered=True),
    Fault("polars", ("dictionary-page-offset-absent",), "pola-rs/polars#26531", (1, 39, 0), unnumbered=True),
    Fault("parquet-mr", ("nan-bound", "zero-bound"), "PARQUET-1246", (1, 10, 0)),
    Fault("parquet-mr", ("null-count-disagrees",), "apache/parquet-java#3585", (1, 18, 0)),
    Fault("parquet-cpp", ("dictionary-repeats",), "ARROW-10237", (2, 0, 0)),
    Fault("parquet-cpp-arrow", ("page-rows-disagree",), "apache/arrow#34086", (12, 0, 0)),
    Fault("parquet-cpp-arrow", ("null-count-disagrees",), "apache/arrow#34326", (12, 0, 0)),
    Fault("parquet-cpp-arrow", ("page-inside-record",), "apache/arrow#34142", (12, 0, 0)),
    Fault(
        "parquet-cpp-arrow",
        ("level-histogram-disagrees",),
        "apache/arrow#50778",
        (26, 0, 1),
        (19, 0, 0),
        when=lambda evidence: sum(evidence["levels"]) > 16_384,
    ),
    Fault("parquet-rs", ("null-page-bounds", "column-index-damaged"), "apache/arrow-rs#6310", (53, 0, 0)),
    Fault("polars", ("statistics-null-count",), "pola-rs/polars#29321", (2, 1, 0), when=_multiple, unnumbered=True),
    Fault("hyparquet", ("statistics-bound",), "hyparam/hyparquet-writer#31", when=_cut),
    Fault(
        "parquet-go",
        ("distinct-count-disagrees",),
        "apache/arrow-go#806",
        since=ARROW_GO,
        when=lambda evidence: evidence["distinct_count"] == 0,
    ),
    Fault(
        "parquet-go",
        ("offset-index-disagrees",),
        "xitongsys/parquet-go#547",
        when=lambda evidence: evidence.get("without_header", False),
    ),
    Fault(
        "github.com/parquet-go/parquet-go",
        ("level-histogram-disagrees", "unencoded-bytes-disagree"),
        "release 0.26.2",
        (0, 26, 2),
    ),
    Fault("parquet-mr", ("needless-levels",), "ARROW-17453", build="amzn-athena"),
    Fault(
        "parquet-mr",
        ("row-group-size-disagrees",),
        "PARQUET-2164",
        (1, 13, 0),
        when=lambda evidence: min(evidence.values()) < 0,
    ),
    Fault("parquet-cpp-arrow", ("statistics-null-count",), "PARQUET-2067", (6, 0, 0)),
    Fault("parquet-cpp-arrow", ("statistics-exactness",), "apache/arrow#50182", (25, 0, 0), when=_largest_float),
    Fault(
        "parquet-cpp",
        ("dictionary-page-offset",),
        "PARQUET-1706",
        when=lambda evidence: not evidence["dictionary_pages"],
    ),
    Fault("fastparquet-python", ("zero-padding",), "fastparquet, writer.py"),
    Fault("impala", ("nan-bound",), "IMPALA-6527", (2, 12, 0)),
    Fault("cudf", ("statistics-null-count",), "rapidsai/cudf#9221", (23, 4, 0)),
    Fault("clickhouse", ("first-row-disagrees",), "ClickHouse/ClickHouse#83876", (25, 7, 0)),
    Fault("polars", ("statistics-inverted",), "pola-rs/polars#29347", (2, 1, 0), unnumbered=True),
    Fault("parquet-go", ("page-inside-record",), "apache/arrow-go#887", since=ARROW_GO),
    Fault(
        "parquet.net",
        ("row-count-disagrees",),
        "elastacloud/parquet-dotnet#334",
        when=lambda evidence: evidence["num_rows"] == 0,
    ),
    Fault("parquet.net", ("created-by-format",), "aloneguid/parquet-dotnet#261", (4, 5, 1)),
)
"""Faults of writers that other readers and the writers themselves document, and that the bytes of a file show.

Where no release says that it has the fix, `fixed` is the version that a run showed to be without the fault (26.0.1 of
Arrow C++, 2.1.0 of Polars).
"""


def named(finding: Finding, created_by: str | None) -> Finding:
    """The finding; if it is about a known fault of the writer, its message says so."""
    writer = parse(created_by)
    fault = next((one for one in FAULTS if one.explains(finding, writer)), None)
    if fault is None:
        return finding
    return dataclasses.replace(
        finding, message=f"{finding.message}; {fault}", evidence={**finding.evidence, "writer": fault.source}
    )
