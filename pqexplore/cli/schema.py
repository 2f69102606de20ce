"""`pqexplore schema FILE`: the schema as Parquet's message, or as Arrow, Spark and DuckDB have it."""

from __future__ import annotations

import argparse
import dataclasses
import os
from typing import TYPE_CHECKING

from pqexplore.cli import files
from pqexplore.cli.out import DONE, Out

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

DESCRIPTION = """\
Print the schema: Parquet's message text, with the maximum definition level (D) and repetition level (R) of each field.
A comment after it has the totals: columns, groups, types, the highest levels."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    form = made.add_mutually_exclusive_group()
    form.add_argument(
        "--arrow", action="store_true", help="Arrow's schema: as ARROW:schema describes it, else by the stored types"
    )
    form.add_argument(
        "--spark", action="store_true", help="Spark's schema: as Spark wrote it down in the file, else by its rules"
    )
    form.add_argument("--sql", action="store_true", help="the table that DuckDB makes of it")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    return files.each(asked, out, lambda file: _print(file, asked, out))


def _print(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight import document, schema_text, terminal
    from pqexplore.insight.json_values import plain

    made: dict[str, object] = {"name": plain(file.name)}
    kept: object = file.schema
    after: list[str] = []
    if asked.arrow:
        source, schema = schema_text.arrow(file)
        lines = [f"{file.name}, {source}", *schema.to_string(show_schema_metadata=False).split("\n")]
        kept = schema
        columns = [{"name": one.name, "type": str(one.type)} for one in schema]
        made |= {"source": source, "arrow": plain(columns)}
    elif asked.spark:
        source, pairs = schema_text.spark(file)
        lines = [f"{file.name}, {source}", *(f"{name}: {kind}" for name, kind in pairs)]
        made["source"] = source
        made["spark"] = plain([{"name": name, "type": kind} for name, kind in pairs])
    elif asked.sql:
        stem = os.path.basename(file.name).partition(".")[0]
        lines = list(schema_text.sql(file, stem or "table"))
        made["sql"] = plain("\n".join(lines))
    else:
        lines = list(schema_text.message(file.schema))
        counts = schema_text.SchemaCounts.of(file.schema)
        after = [f"// {counts.line}"]
        made |= {
            "counts": plain(dataclasses.asdict(counts)),
            "message": plain("\n".join(lines)),
            "schema": document.file_document(file)["schema"] if asked.json else None,
        }
    out.kept.append(kept)
    if asked.json:
        out.document("schema", made)
    else:
        most = None if asked.sql else terminal.most_lines(out.room)
        left = 0 if most is None else len(lines) - most + len(after) + 1
        out.lines(lines if left <= 1 else [*lines[:-left], f"// {terminal.more(left, 'line')}"])
        out.lines(after)
    return DONE
