"""`pqexplore rewrite FILE NEW`: the same values in a new file, with other choices of the writer."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from pqexplore.cli import files, keys, notebook_variables, progress
from pqexplore.cli.files import ONE
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.output_file import OutputFile
    from pqexplore.engine.writer.options import WriteOptions
    from pqexplore.engine.writer.plan import Plan
    from pqexplore.insight.what_if.trial import Trial

DESCRIPTION = """\
Write one FILE anew: the same schema, values, rows and key-value metadata, with other choices of the writer. What is not
chosen stays as it is: row groups, codecs, the order of the rows, types. FILE is not changed, and another file that
exists is replaced only with --force. All levels and values of NEW are read again and compared with those of FILE before
NEW appears under its name. NEW is not encrypted, even if FILE is."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("file", metavar="FILE", help=ONE)
    made.add_argument("new", metavar="NEW", help="the path of the new file")
    made.add_argument(
        "--best",
        action="store_true",
        help="try encodings and codecs first, as pqexplore what-if does, and take the best of each column",
    )
    made.add_argument("--seconds", type=float, default=20.0, metavar="N", help="how long --best may try (20)")
    made.add_argument(
        "--sort",
        type=lambda text: tuple(text.split(",")),
        default=(),
        metavar="A,-B",
        help="sort the rows by columns, dotted; - for descending, as in --sort=-B",
    )
    made.add_argument(
        "--type",
        type=_type,
        action="append",
        default=[],
        metavar="COLUMN=TYPE",
        help="another type for a column, if it holds each value: date32, timestamp[us], int32, …",
    )
    made.add_argument("--codec", metavar="NAME", help="the codec of all columns: zstd, snappy, …")
    made.add_argument("--codec-level", type=int, metavar="N", help="the level of --codec")
    made.add_argument("--row-group-rows", type=_count, metavar="N", help="a row group ends after N rows")
    made.add_argument(
        "--page-bytes", type=_count, metavar="N", help="a page ends after N bytes of encoded values, or 20,000 rows"
    )
    made.add_argument("--no-verify", action="store_true", help="do not read NEW again")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    asked.file = notebook_variables.one(asked.file)
    if not asked.seconds > 0:
        raise Refused("--seconds is more than 0")
    if asked.codec_level is not None and asked.codec is None:
        raise Refused("--codec-level goes with --codec")
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.output_file import writing

    try:
        sources = files.local_names(asked, asked.file)
        with (
            writing(asked.new, overwrite=asked.force, sources=sources) as target,
            files.opened(asked.file, asked) as file,
        ):
            trial = _tried(file, asked) if asked.best else None
            plan = _written(file, target, asked, trial)
            today = file.size
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(asked.file, error, asked.json)
    out.kept.append(plan)
    if asked.json:
        out.document("rewrite", _document(asked, plan, today, trial))
        return DONE
    out.lines(_lines(asked, plan, today, trial, out.room))
    return DONE


def _count(text: str) -> int:
    """The argument of an option that takes a number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a number from 1 on")
    return number


def _type(text: str) -> tuple[str, str]:
    """A column and its new type."""
    column, equals, kind = text.partition("=")
    if not (column and equals and kind):
        raise argparse.ArgumentTypeError(f"{text!r} is not COLUMN=TYPE")
    return column, kind


def _tried(file: ParquetFile, asked: argparse.Namespace) -> Trial:
    from pqexplore.insight.steps import finish
    from pqexplore.insight.what_if.budget import Budget
    from pqexplore.insight.what_if.trial import steps

    with progress.shown(f"trying {asked.file}") as progressing:
        return finish(steps(file, budget=Budget(seconds=asked.seconds)), progressing)


def _written(file: ParquetFile, target: OutputFile, asked: argparse.Namespace, trial: Trial | None) -> Plan:
    from pqexplore.engine.writer.rewriting import rewrite

    options = _options(file, asked, trial)
    with progress.shown(asked.new) as progressing:
        return rewrite(
            file,
            target,
            options,
            sort=asked.sort,
            types=dict(asked.type),
            decryption=keys.decryption(asked),
            verify=not asked.no_verify,
            progress=progressing,
        )


def _options(file: ParquetFile, asked: argparse.Namespace, trial: Trial | None) -> WriteOptions | None:
    """The writer's options: those of the trial or of the file, with those that were asked. None to keep all of the file."""
    from pqexplore.insight.what_if.unchanged_options import kept

    changes: dict[str, Any] = {
        name: value
        for name in ("codec", "codec_level", "row_group_rows", "page_bytes")
        if (value := getattr(asked, name)) is not None
    }
    if trial is None and not changes:
        return None
    base = kept(file) if trial is None else trial.best
    if asked.codec is not None:
        changes["columns"] = {
            path: {name: value for name, value in given.items() if not name.startswith("codec")}
            for path, given in base.columns.items()
        }
    return dataclasses.replace(base, **changes)


def _document(asked: argparse.Namespace, plan: Plan, today: int, trial: Trial | None) -> dict[str, Any]:
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.what_if import text

    made: dict[str, Any] = {
        "file": plain(asked.file),
        "new": plain(asked.new),
        "today": today,
        "size": plan.size,
        "verified": not asked.no_verify,
        "rows": plan.num_rows,
        "row_groups": plan.num_row_groups,
    }
    if trial is not None:
        made["trial"] = text.document(trial, ())
    return made


def _lines(asked: argparse.Namespace, plan: Plan, today: int, trial: Trial | None, room: int) -> list[str]:
    from pqexplore.engine.text import printable
    from pqexplore.insight.terminal import wrap
    from pqexplore.insight.wording import percent, size

    said = "not verified" if asked.no_verify else "verified: all its levels and values are the same"
    if asked.sort and not asked.no_verify:
        said += ", in the new order"
    if asked.type and not asked.no_verify:
        said += ", converted back"
    lines = [] if trial is None else wrap(trial.sentence, room)
    sizes = f"{size(plan.size)}, {percent(plan.size / today)} of the {size(today)}"
    return [*lines, *wrap(printable(f"wrote {asked.new}: {sizes} of {asked.file}; {said}"), room)]
