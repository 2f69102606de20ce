"""`pqexplore salvage FILE NEW`: what is left of a file that lost its footer, as a new file."""

from __future__ import annotations

import argparse
import contextlib
from typing import TYPE_CHECKING

from pqexplore.cli import files, notebook_variables, progress
from pqexplore.cli.files import ONE
from pqexplore.cli.out import DONE, FOUND, Out

if TYPE_CHECKING:
    from pqexplore.engine.salvage import Salvaged

DESCRIPTION = """\
Find the pages of one FILE that lost its footer, and write the complete row groups or columns to NEW. FILE is not
changed, and another file that exists is replaced only with --force. Without NEW, say what could be written. Encrypted pages cannot be
found without their footer: the keys are for OTHER."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("file", metavar="FILE", help=ONE)
    made.add_argument("new", nargs="?", metavar="NEW", help="the path of the new file")
    made.add_argument("--schema", metavar="OTHER", help="a Parquet file with the same schema, if FILE lost its own")
    made.add_argument(
        "--keep",
        choices=("rows", "columns"),
        help="row groups in which every column is complete, or columns that are complete in every row group; "
        "without, rows if there are any",
    )


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    asked.file = notebook_variables.one(asked.file)
    asked.schema = None if asked.schema is None else notebook_variables.one(asked.schema)
    from pqexplore.engine import output_file
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.salvage import salvage

    written: int | None = None
    at = asked.schema
    given = (one for one in (asked.file, asked.schema) if one is not None)
    sources = files.local_names(asked, *given)
    try:
        if asked.new is not None:
            output_file.require(asked.new, overwrite=asked.force, sources=sources)
        with contextlib.ExitStack() as opened, progress.shown(asked.file) as shown:
            other = asked.schema and opened.enter_context(files.opened(asked.schema, asked))
            if other:
                len(other.schema.fields)  # a file that cannot be read is named here
            at = asked.file
            saved = salvage(
                files.source(asked.file),
                schema=other,
                progress=shown and (lambda done, size: shown(done / max(1, size))),
            )
        whole = bool(saved.selection(asked.keep).groups)
        if asked.new is not None and whole:
            with output_file.writing(asked.new, overwrite=asked.force, sources=sources) as target:
                written = saved.write(target, asked.keep)
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(at, error, asked.json)
    out.kept.append(saved)
    _print(saved, written, asked, out)
    return DONE if whole else FOUND


def _print(saved: Salvaged, written: int | None, asked: argparse.Namespace, out: Out) -> None:
    from pqexplore.insight.document import finding_document
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.report import findings_report
    from pqexplore.insight.terminal import indented
    from pqexplore.insight.wording import plural

    chosen = saved.selection(asked.keep)
    rows = sum(chunks[0].rows for chunks in chosen.groups)
    usable = sum(page.end - page.start for page in saved.pages if page.usable)
    if asked.json:
        out.document(
            "salvage",
            {
                "name": plain(asked.file),
                "new": plain(asked.new) if written is not None else None,
                "size": written,
                "rows": rows,
                "columns": len(chosen.columns) if chosen.groups else 0,
                "row_groups": len(chosen.groups),
                "pages": len(saved.pages),
                "bytes": usable,
                "of": saved.source.size,
                "schema_from": saved.schema_from,
                "findings": [finding_document(one) for one in saved.findings],
            },
        )
        return
    out.say(asked.file)
    sentence = f"{plural(len(saved.pages), 'page')}, {usable:,} of {saved.source.size:,} bytes."
    if chosen.groups:
        what = f"{plural(rows, 'row')} of {plural(len(chosen.columns), 'column')} in {plural(len(chosen.groups), 'row group')}"
        sentence += (
            f" {what} {'can be' if written is None else 'were'} written; the schema is from {saved.schema_from}."
        )
    else:
        sentence += " Nothing is complete, so there is nothing to write."
    out.lines(indented(sentence, out.room, 2))
    if written is not None:
        out.lines(indented(f"wrote {asked.new}, {written:,} bytes", out.room, 2))
    if saved.findings:
        out.lines(["", "Findings", *findings_report(saved.findings, out.room)])
