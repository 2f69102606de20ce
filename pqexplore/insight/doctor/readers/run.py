"""Runs the readers that are installed on a file, each in a process of its own, and compares their values with ours."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine import own_processes
from pqexplore.engine.ending import temporary_folder
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import clip
from pqexplore.insight.doctor.readers.compare import NotComparedError, first_difference
from pqexplore.insight.doctor.readers.reader import Reader, Verdict
from pqexplore.insight.doctor.readers.worker import READERS
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Field

SECONDS = 60.0
"""Time limit of a reader."""

MEMORY = 3 << 30
"""Memory limit of a reader, in bytes of address space."""


_SPECIAL = re.compile(r"[*?\[\]{}%#:&]|[^ -~]")
"""Characters of a path with a meaning for some reader."""

_STRANGE = (ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""What pyarrow raises, beside its own errors, for types that it does not know and values that Python cannot hold."""

ERROR = 300
"""Characters of a reader's error that are kept."""

RAN = "run here"
"""`Reader.source` of a run."""


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What a reader's process left: the version, its error ("" if it read), the columns that fail alone, and its table.

    `asked` is how often it was asked for columns by name, `answers` are those that differ from the table.
    """

    version: str = ""
    error: str = ""
    failing: tuple[str, ...] | None = None
    table: str = ""
    asked: int = 0
    answers: tuple[Answer, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """What a reader gave for columns that were asked for by name: the path of a table, or an error."""

    names: tuple[str, ...]
    table: str = ""
    error: str = ""


def run(
    file: ParquetFile, path: str, engines: Sequence[str] = tuple(READERS), *, seconds: float = SECONDS
) -> list[Reader]:
    """What each reader does with the file at `path`, which `file` is open on. It gets no keys.

    One process a reader, one after the other, with `seconds` and `MEMORY` as its limits.
    """
    found = []
    with temporary_folder() as folder:
        path = _plain_path(path, folder)
        for engine in engines:
            if importlib.util.find_spec(engine.lower()) is None:
                sentence = f"{engine.lower()} is not installed, so it was not run"
                found.append(Reader(engine, "", Verdict.ABSENT, False, sentence))
                continue
            out = os.path.join(folder, engine)
            problem = _process(engine, path, out, column_names(file), seconds)
            found.append(judge(file, engine, outcome(out, problem)))
    return found


def _plain_path(path: str, folder: str) -> str:
    """The path, or a link to it in `folder` if it has characters that a reader takes for a pattern or a URL."""
    if not _SPECIAL.search(path):
        return path
    link = os.path.join(folder, "file.parquet")
    try:
        os.symlink(os.path.abspath(path), link)
    except OSError:  # Windows allows it to few users
        return path
    return link


def column_names(file: ParquetFile) -> list[str] | None:
    """The names of the file's top-level columns; None if they cannot be read, or are not distinct."""
    try:
        names = [field.name for field in file.schema.root.children]
    except ParquetError:
        return None
    return names if len(set(names)) == len(names) else None


def _process(engine: str, path: str, out: str, names: list[str] | None, seconds: float) -> str:
    """Run a reader; what stopped its process, "" if it ended by itself."""
    job = {
        "engine": engine,
        "path": os.path.abspath(path),
        "out": out,
        "memory": MEMORY,
        "names": names,
        "seconds": seconds / 2,
    }
    threads = {"POLARS_MAX_THREADS": "2", "RUST_BACKTRACE": "0", "OMP_NUM_THREADS": "2"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.worker"],
            input=json.dumps(job).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env=own_processes.environment(**threads),
        )
    except subprocess.TimeoutExpired:
        return f"it gave no answer in {seconds:g} seconds"
    if done.returncode < 0:
        return f"its process died (signal {-done.returncode})"
    return f"its process ended with code {done.returncode}" if done.returncode else ""


def outcome(out: str, problem: str) -> Outcome:
    """What a process left in `out`; `problem` is what stopped it."""
    try:
        with open(f"{out}.json", encoding="utf-8") as written:
            made = json.load(written)
    except (OSError, ValueError):
        return Outcome(error=problem or "its process left no answer")
    failing = made.get("failing")
    answers = tuple(
        Answer(tuple(one["names"]), one.get("table", ""), one.get("error", "")) for one in made.get("answers", ())
    )
    asked = made.get("asked", 0)
    # A process that ends while it is asked by name has read the file before.
    error = made.get("error") or ("" if os.path.exists(out) else problem)
    return Outcome(made["version"], error, None if failing is None else tuple(failing), out, asked, answers)


def judge(file: ParquetFile, engine: str, left: Outcome) -> Reader:
    """The verdict about a reader by what it left, and by our own reading of the file."""
    made = Reader(engine, left.version, Verdict.REFUSES, True, "", source=RAN)
    if left.error:
        error = clip(left.error, ERROR)
        part = ""
        names = column_names(file)
        if left.failing and names and len(left.failing) < len(names):
            part = f"; alone, it reads all columns but {listing([name(one) for one in left.failing])}"
        return dataclasses.replace(made, sentence=f"refuses: {error}{part}", error=error, columns=left.failing or ())
    table = _table(left.table)
    if isinstance(table, str):
        return _uncompared(made, f"its table is not valid: {table}")
    found = _compared(file, made, table)
    return _by_name(file, found, left) if found.verdict is Verdict.READS else found


def _table(path: str) -> pa.Table | str:
    """The table that a reader wrote, or why it is not valid."""
    try:
        with pa.OSFile(path) as opened:
            table = pa.ipc.open_stream(opened).read_all()
        table.validate(full=True)
    except (*_STRANGE, pa.ArrowException, OSError) as error:
        return clip(" ".join(str(error).split()), ERROR)
    return table


def _by_name(file: ParquetFile, made: Reader, left: Outcome) -> Reader:
    """The verdict about a reader that reads the whole file, by what it gives for columns that are asked for by name."""
    fields = {field.name: at for at, field in enumerate(file.schema.root.children) if field.leaves()}
    refused: list[str] = []
    for answer in left.answers:
        how = "alone" if len(answer.names) == 1 else "together with the others"
        table = None if answer.error else _table(answer.table)
        if not isinstance(table, pa.Table):
            refused += answer.names if how == "alone" else []
            continue
        for at, column in enumerate(answer.names):
            position = fields.get(column)
            if position is None:
                continue
            found = _difference(file, position, _named(table, answer.names, at), made.engine)
            if found is not None:
                row, ours, theirs = found
                what = f"asked for {name(column)} by its name, {how}, it has {theirs} in row {row:,}, the file {ours}"
                return _wrong(made, f"{what}; without names it reads all", column, row, ours, theirs)
    sentence = made.sentence
    if refused:
        sentence += f"; asked for by its name, alone, it does not read {listing([name(one) for one in refused])}"
    elif left.asked > len(fields):
        sentence += ", together and each by its name"
    return dataclasses.replace(made, sentence=sentence)


def _named(table: pa.Table, names: Sequence[str], at: int) -> pa.ChunkedArray | None:
    """The column that a reader gives for a name: by the name, or by its position if the reader renames it."""
    found = table.schema.get_all_field_indices(names[at])
    if len(found) == 1:
        return table.column(found[0])
    return table.column(at) if table.num_columns == len(names) else None


def _difference(
    file: ParquetFile, position: int, theirs: pa.ChunkedArray | None, engine: str
) -> tuple[int, str, str] | None:
    """(row, our value, their value) of the first row of a column that differs; None without one, or if it is not compared."""
    field = file.schema.root.children[position]
    if theirs is None:
        return None
    try:
        ours = _ours(file, field, position)
        if len(ours) != len(theirs):
            return 0, f"{len(ours):,} rows", f"{len(theirs):,} rows"
        return first_difference(ours, theirs, field, engine == "fastparquet")
    except (*_STRANGE, ParquetError, NotComparedError, pa.ArrowException):
        return None


def _uncompared(made: Reader, why: str) -> Reader:
    sentence = f"reads it without an error; the values are not compared: {why}"
    return dataclasses.replace(made, verdict=Verdict.UNCOMPARED, sentence=sentence)


def _wrong(
    made: Reader, sentence: str, column: str = "", row: int | None = None, ours: str = "", theirs: str = ""
) -> Reader:
    return dataclasses.replace(
        made, verdict=Verdict.WRONG, sentence=f"reads it wrongly, without an error: {sentence}",
        column=column, row=row, ours=ours, theirs=theirs,
    )  # fmt: skip


def _compared(file: ParquetFile, made: Reader, table: pa.Table) -> Reader:
    """Compares a reader's table with ours, column by column."""
    try:
        fields = [field for field in file.schema.root.children if field.leaves()]
    except ParquetError as error:
        return _uncompared(made, error.message)
    compared, skipped = 0, ""
    for position, field in enumerate(fields):
        theirs = _column(table, fields, position)
        if theirs is None:
            return _wrong(made, f"the column {name(field.name)} is missing", field.name)
        try:
            ours = _ours(file, field, position)
            if len(ours) != len(theirs):
                return _wrong(made, f"it gives {plural(len(theirs), 'row')}, the file has {len(ours):,}")
            found = first_difference(ours, theirs, field, made.engine == "fastparquet")
        except (ParquetError, NotComparedError) as error:
            skipped = skipped or f"{name(field.name)}: {error}"
            continue
        except (*_STRANGE, pa.ArrowException) as error:
            skipped = skipped or f"{name(field.name)}: {' '.join(str(error).split())}"
            continue
        if found is not None:
            row, left, right = found
            sentence = f"in row {row:,} of {name(field.name)} it has {right}, the file {left}"
            return _wrong(made, sentence, field.name, row, left, right)
        compared += 1
    if skipped:
        return _uncompared(made, clip(skipped, ERROR))
    values = f"all values of {plural(compared, 'column')} are as we read them"
    return dataclasses.replace(made, verdict=Verdict.READS, sentence=f"reads it all: {values}")


def _ours(file: ParquetFile, field: Field, position: int) -> pa.ChunkedArray:
    """Our reading of a top-level column."""
    if len(file.schema.root.named(field.name)) > 1 or "." in field.name:  # a dotted name is a path, too
        return file.read().column(position)
    return file.read(columns=[field.name]).column(0)


def _column(table: pa.Table, fields: list[Field], position: int) -> pa.ChunkedArray | None:
    """A reader's column for a field: by its name, by its position if the reader renames it, or put together of its parts."""
    field = fields[position]
    alone = sum(one.name == field.name for one in fields) == 1
    if alone and len(table.schema.get_all_field_indices(field.name)) == 1:
        return table.column(field.name)
    if table.num_columns == len(fields):
        return table.column(position)
    if not alone:
        return None
    return _assembled(table, field, field.name)


def _assembled(table: pa.Table, field: Field, path: str) -> pa.ChunkedArray | None:
    """A struct of columns whose names are dotted paths, as fastparquet gives them."""
    if path in table.column_names:
        return table.column(path)
    parts = [_assembled(table, child, f"{path}.{child.name}") for child in field.children]
    whole = [part.combine_chunks() for part in parts if part is not None]
    if not whole or len(whole) < len(parts):
        return None
    names = [child.name for child in field.children]
    return pa.chunked_array([pa.StructArray.from_arrays(whole, names=names)])
