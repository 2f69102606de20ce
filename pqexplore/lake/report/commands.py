"""Ready commands for an action: for Delta tables, Iceberg tables and plain files.

Delta's are those of its documentation (https://docs.delta.io/latest/delta-utility.html, …/optimizations-oss.html), and
Iceberg's procedures those of https://iceberg.apache.org/docs/latest/spark-procedures/. Iceberg's need names that only the
catalog knows: CATALOG, DATABASE.TABLE.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pqexplore.engine.text import printable
from pqexplore.lake.doctor.diagnosing import EMPTY, NEEDS_KEY
from pqexplore.lake.doctor.jobs import REWRITTEN
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.doctor.together import TYPES_DIFFER
from pqexplore.lake.report import actions
from pqexplore.lake.report.actions import Kind

TABLES, FILES = 3, 3
"""Tables and files that commands are written for; the others are alike."""
LONGEST = 500
"""Characters of a path up to which it is written into a command."""

_DELTA = {
    actions.COMPACT.name: "OPTIMIZE {table}",
    actions.PURGE.name: "REORG TABLE {table} APPLY (PURGE)",
    actions.CLUSTER.name: "OPTIMIZE {table} ZORDER BY ({columns})",
    actions.VACUUM.name: "VACUUM {table} DRY RUN; -- lists what the next line deletes\nVACUUM {table}",
    actions.REWRITE.name: "OPTIMIZE {table} -- joins files smaller than 1 GB; larger ones stay as they are",
}


def _call(procedure: str, more: str = "") -> str:
    return f"CALL CATALOG.system.{procedure}(table => 'DATABASE.TABLE'{more})"


_ICEBERG = {
    actions.COMPACT.name: _call("rewrite_data_files"),
    actions.PURGE.name: _call("rewrite_data_files", ", options => map('delete-file-threshold', '1')"),
    actions.CLUSTER.name: _call("rewrite_data_files", ", strategy => 'sort', sort_order => '{columns}'"),
    actions.VACUUM.name: f"{_call('expire_snapshots')};\n{_call('remove_orphan_files', ', dry_run => true')}",
    actions.REWRITE.name: _call("rewrite_data_files", ", options => map('rewrite-all', 'true')"),
}


def commands(
    kind: Kind, found: Sequence[LakeFinding], tables: Mapping[str, str], jobs: Mapping[str, str]
) -> dict[str, str]:
    """The commands by what runs them. `tables` has the format of each table concerned, "" for plain files, by its path.

    `jobs` writes all files of the lake again; it is used where the action is to write files again.
    """
    made: dict[str, str] = {}
    columns = _columns(found)
    for format, title, texts in (("delta", "Delta SQL", _DELTA), ("iceberg", "Iceberg SQL", _ICEBERG)):
        some = [path for path in tables if tables[path] == format and _writable(path)]
        text = texts.get(kind.name, "").replace("{columns}", columns or "COLUMN")
        if some and text:
            names = [f"delta.`{path.replace('`', '``')}`" for path in some[:TABLES]]
            made[title] = ";\n".join(dict.fromkeys(text.replace("{table}", one) for one in names))
    if not all(tables.values()):
        folder = next(path for path in tables if not tables[path])
        made |= dict(_plain(kind, found, jobs, folder))
    return made


def _columns(found: Sequence[LakeFinding]) -> str:
    return ", ".join(dict.fromkeys(column for one in found for column, _ in one.columns))


def _plain(kind: Kind, found: Sequence[LakeFinding], jobs: Mapping[str, str], folder: str) -> Iterator[tuple[str, str]]:
    paths = _paths(one for one in found if one.rule != EMPTY)
    if kind is actions.REPLACE:
        yield from _each("pqexplore salvage", "saved", paths)
    elif kind is actions.REWRITE:
        rows = any(one.rule in REWRITTEN for one in found)
        yield from _each("pqexplore rewrite", "new", paths, "--row-group-rows 1000000" if rows else "")
    elif kind is actions.ENGINES:
        yield from _each("pqexplore rewrite", "new", paths, "--codec zstd")
    elif kind in (actions.MOVE, actions.COPIES):
        yield from (("shell", one.code["shell"]) for one in found if "shell" in one.code)
    elif kind is actions.SCHEMA:
        texts = _WIDEST if any(one.rule == TYPES_DIFFER.name for one in found) else _UNION
        for engine, text in texts.items():
            yield engine, text.replace("FOLDER", repr(folder))
    elif kind is actions.REACH:
        keyed = _paths(one for one in found if one.rule == NEEDS_KEY)
        yield from _each("pqexplore", "", keyed, "--footer-key-file KEY")
    if kind in _BY_JOBS:
        yield from jobs.items()


_BY_JOBS = (*(actions.COMPACT, actions.PARTITION, actions.CLUSTER, actions.DIVIDE), *(actions.REWRITE, actions.SCHEMA))
"""Actions that write all files again."""


def _paths(found: Iterable[LakeFinding]) -> list[str]:
    """The files of findings that a command can name."""
    return list(dict.fromkeys(path for one in found for path in one.paths if _writable(path)))


_UNION = {
    "Spark": "spark.read.option('mergeSchema', True).parquet(FOLDER)",
    "DuckDB": "duckdb.sql('FROM read_parquet(?, union_by_name = true)', params=[FOLDER + '/**/*.parquet'])",
    "polars": "pl.scan_parquet(FOLDER, schema=SCHEMA, missing_columns='insert', extra_columns='ignore')  # SCHEMA: all columns",
    "pyarrow": "ds.dataset(FOLDER, schema=pa.unify_schemas(f.physical_schema for f in ds.dataset(FOLDER).get_fragments()))",
}
"""How to read files that lack columns, until they are written again."""

_WIDEST = {
    "Spark": "spark.read.schema(DDL).parquet(FOLDER)  # DDL: all columns, in their widest types",
    "DuckDB": _UNION["DuckDB"],
    "polars": "pl.scan_parquet(FOLDER, schema=SCHEMA, cast_options=pl.ScanCastOptions(integer_cast='upcast', float_cast='upcast'))"
    "  # SCHEMA: all columns, in their widest types",
    "pyarrow": "ds.dataset(FOLDER, schema=SCHEMA)  # SCHEMA: all columns, in their widest types",
}
"""How to read files whose columns are of several types, until they are written again."""


def _each(command: str, ending: str, paths: Sequence[str], options: str = "") -> Iterator[tuple[str, str]]:
    """A line for each of the first files; with an `ending`, the new file has it before `.parquet`."""
    lines = []
    for path in paths[:FILES]:
        new = f"{path.removesuffix('.parquet')}.{ending}.parquet" if ending else ""
        words = [command, shlex.quote(path), shlex.quote(new) if new else "", options]
        lines.append(" ".join(filter(None, words)))
    if lines:
        yield "shell", "\n".join(lines)


def _writable(path: str) -> bool:
    """Whether a path can stand in a command."""
    return len(path) <= LONGEST and printable(path) == path
