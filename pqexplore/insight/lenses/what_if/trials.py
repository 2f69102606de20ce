"""What was tried on an open file, kept for what is asked later: the trial, the savings, predictions; and writing the file.

A trial that is kept does not hold its file, so the file can be closed and forgotten.
"""

from __future__ import annotations

import dataclasses
import os
import threading
import weakref
from collections.abc import Generator, Mapping, Sequence
from contextvars import ContextVar
from typing import NoReturn, TypeVar

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.output_file import OutputFile, writing
from pqexplore.engine.text import clip, printable
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.retype import NO_TYPES
from pqexplore.engine.writer.rewriting import rewrite
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.ask.why_not_pruned.rewriting import base_name
from pqexplore.insight.lenses.what_if.picture import (
    DRAWN,
    Bytes,
    Chosen,
    Code,
    Predicted,
    Row,
    by_saving,
    bytes_predicted,
    codes,
    row,
)
from pqexplore.insight.places import is_encrypted
from pqexplore.insight.what_if import predict as prediction
from pqexplore.insight.what_if import savings, trial
from pqexplore.insight.what_if.budget import Budget
from pqexplore.insight.what_if.code import scripts
from pqexplore.insight.what_if.column import ColumnTrial
from pqexplore.insight.what_if.saving import Kind, Saving
from pqexplore.insight.wording import listing, name, percent, plural, size


def options_code(options: WriteOptions) -> str:
    """The call of `WriteOptions` that makes these options: those that differ from the default."""
    default = WriteOptions()
    given = [
        f"    {field.name}={getattr(options, field.name)!r},\n"
        for field in dataclasses.fields(options)
        if field.init and getattr(options, field.name) != getattr(default, field.name)
    ]
    return f"pqexplore.WriteOptions(\n{''.join(given)})" if given else "pqexplore.WriteOptions()"


def rewrite_code(
    source: str, target: str, options: WriteOptions, sort: Sequence[str] = (), types: Mapping[str, str] = NO_TYPES
) -> str:
    """Code that writes the file at the path `source` anew at `target`, and compares all values."""
    more = f", sort={tuple(sort)!r}" if sort else ""
    more += f", types={dict(types)!r}" if types else ""
    return (
        f"import pqexplore\n\noptions = {options_code(options)}\n"
        f"pqexplore.rewrite({source!r}, {target!r}, options{more}, verify=True)\n"
    )


BUDGET = Budget(seconds=10)
"""For the trial of a file."""

LATER = Budget(seconds=5)
"""For its savings, and for a prediction."""

TRIALS = 256
"""Trials that are kept for one file: of the whole file, and of single columns, each a few kilobytes.

A saved page comes back to a column in each row group, and in the schema.
"""

ENDING = ".parquet"
LONGEST = 200
"""Characters of the name of a new file."""


@dataclasses.dataclass(frozen=True)
class Tried:
    """A trial of a file or of one column, and the savings of the file; `unsearched` says why they are not known."""

    trial: trial.Trial
    savings: tuple[Saving, ...] = ()
    unsearched: str = ""


_tried: Latest[ParquetFile, Tried] = Latest(TRIALS)
_predicted: Latest[ParquetFile, Predicted] = Latest(TRIALS)

_working: weakref.WeakKeyDictionary[ParquetFile, dict[str, ColumnTrial]] = weakref.WeakKeyDictionary()
"""The columns of trials of whole files that are under way, by their paths. They are dropped when the trial ends."""

WHOLE = -1
"""The key of a trial of the whole file; that of a column is its leaf's number."""


def known(file: ParquetFile, leaf: int = WHOLE) -> Tried | None:
    """What was tried on the file or on a column of it; None if nothing was."""
    return _tried.get(file, leaf) or _tried.get(file, WHOLE)


def tried(file: ParquetFile, leaf: int = WHOLE) -> Generator[float, None, Tried]:
    """The steps to a trial of the file and its savings, or of one column."""
    made = known(file, leaf)
    if made is not None:
        return made
    if leaf == WHOLE:
        try:
            met = _working.setdefault(file, {})
            work = trial.steps(file, None, BUDGET, lambda one: met.__setitem__(one.path, one))
            found = yield from _parts(work, 0.0, 0.5)
        finally:
            _working.pop(file, None)
        found = dataclasses.replace(found, opener=_no_file)
        try:
            others = yield from _parts(savings.steps(file, found.columns, LATER), 0.5, 0.75)
            made = Tried(found, others)
        except ParquetError as error:
            made = Tried(found, unsearched=clip(str(error), 1_000))
    else:
        found = yield from trial.steps(file, [file.schema.dotted[leaf]], BUDGET)
        made = Tried(dataclasses.replace(found, opener=_no_file))
    _tried.put(file, leaf, made)
    return made


def _no_file() -> NoReturn:
    raise UsageError("this trial was kept without its file")


T = TypeVar("T")


def _parts(work: Generator[float, None, T], start: float, end: float) -> Generator[float, None, T]:
    """Work whose progress is a part of a longer one."""
    while True:
        try:
            yield start + (end - start) * next(work)
        except StopIteration as stop:
            made: T = stop.value
            return made


def predicted(file: ParquetFile, made: Tried, chosen: Chosen) -> Generator[float, None, Predicted]:
    """The steps to the size and the layout of the file with the best choices, and with what is chosen."""
    key = chosen.page_rows, chosen.row_group_rows, tuple(chosen.sort), tuple(map(tuple, chosen.types))
    kept = _predicted.get(file, key)
    if kept is not None:
        return kept
    options = _options(made, chosen)
    text = list(_codes(file, made, options, chosen))
    try:
        steps = prediction.steps(file, options, LATER, sort=chosen.sort, types=_types(chosen))
        found = yield from _parts(steps, 0.75, 1.0)
    except (ParquetError, UsageError) as error:
        why = clip(str(error), 1_000)
        sentence = f"The size of the new file is not known: {why}."
        made_of = Predicted(chosen, None, "", sentence, why, text)
    else:
        layout = bytes_predicted(found.size, found.columns["bytes"].to_pylist(), file.num_rows, chosen.row_group_rows)
        made_of = Predicted(chosen, layout, _error(found), _sentence(found, layout), "", text)
    _predicted.put(file, key, made_of)
    return made_of


def _error(found: prediction.Prediction) -> str:
    if not found.sampled:
        return ""
    return "error not known" if found.error is None else f"± {size(found.error)}"


def _sentence(found: prediction.Prediction, layout: Bytes) -> str:
    error = _error(found)
    margin = f" That is an estimate, {error}." if error else " That is exact."
    share = f", {percent(found.size / found.today)} of the {size(found.today)} today" if found.today else ""  # fmt: skip
    groups = plural(layout.row_groups, "row group")
    return f"The new file has {size(found.size)}{share}, in {groups}.{margin}"


def _options(made: Tried, chosen: Chosen) -> WriteOptions:
    orders = [one.sort for one in made.savings if one.kind == Kind.ORDER]
    if chosen.sort and tuple(chosen.sort) not in orders:
        raise UsageError(f"no saving sorts the file by {listing(chosen.sort)}")
    columns = dict(made.trial.best.columns)
    for pair in chosen.types:
        saving = next((one for one in made.savings if one.kind == Kind.TYPE and one.types == (tuple(pair),)), None)
        if saving is None:
            raise UsageError(f"no saving makes of a column: {listing(pair)}")
        if saving.options is not None and pair[0] in saving.options.columns:
            columns[pair[0]] = saving.options.columns[pair[0]]  # the best choice for the new type
    return dataclasses.replace(
        made.trial.best, page_rows=chosen.page_rows, row_group_rows=chosen.row_group_rows, columns=columns
    )


def _types(chosen: Chosen) -> Mapping[str, str]:
    return {pair[0]: pair[1] for pair in chosen.types}


def _codes(file: ParquetFile, made: Tried, options: WriteOptions, chosen: Chosen) -> Generator[Code, None, None]:
    source = file.name if os.path.isfile(file.name) else base_name(file.name)
    total = sum(one.today if one.best is None else round(one.sizes[one.best].bytes.total) for one in made.trial.columns)
    own = rewrite_code(source, target_of(file), options, chosen.sort, _types(chosen))
    yield Code("pqexplore", own, total, [])
    left_out = []
    if chosen.page_rows != WriteOptions().page_rows:
        left_out.append(f"Pages of {plural(chosen.page_rows, 'row')}.")
    if chosen.sort:
        left_out.append(f"The order of the rows: by {listing(chosen.sort)}.")
    left_out += [f"The type of {name(column)}: {kind}." for column, kind in chosen.types]
    for one in codes(scripts(file.name, made.trial.columns, chosen.row_group_rows)):
        yield dataclasses.replace(one, left_out=[*one.left_out, *left_out])


def chosen_at_first(made: Tried) -> Chosen:
    """The pages of our writer, and the row groups that the file has."""
    pages = WriteOptions().page_rows
    assert pages is not None
    return Chosen(pages, made.trial.kept.row_group_rows, [], [])


def ask_what_if(
    file: ParquetFile,
    page_rows: int,
    row_group_rows: int,
    sort: Sequence[str] = (),
    types: Sequence[Sequence[str]] = (),
) -> Generator[float, None, Predicted]:
    """The file with other pages, row groups or types, or another order. UsageError before it was tried, and for choices that do not exist."""
    made = _known(file)
    return (yield from predicted(file, made, _chosen(page_rows, row_group_rows, sort, types)))


@dataclasses.dataclass(frozen=True, slots=True)
class SoFar:
    """The columns that were tried until now, the largest saving first, of the `columns` of the file."""

    rows: list[Row]
    columns: int


def what_if_so_far(file: ParquetFile) -> SoFar:
    """What the trial of the file that is under way has found; nothing if none is."""
    if file not in _working:
        return SoFar([], 0)
    found = [one for one in _working[file].values() if one.best is not None]
    return SoFar([row(one) for one in by_saving(found)][:DRAWN], len(file.schema.leaves))


def _known(file: ParquetFile) -> Tried:
    made = _tried.get(file, WHOLE)
    if made is None:
        raise UsageError("the file was not tried yet")
    return made


def _chosen(page_rows: int, row_group_rows: int, sort: Sequence[str], types: Sequence[Sequence[str]]) -> Chosen:
    for given in (page_rows, row_group_rows):
        if not isinstance(given, int) or given < 1:
            raise UsageError(f"{given!r} is not a number of rows")
    if isinstance(sort, str) or not all(isinstance(one, str) for one in sort):
        raise UsageError("the sort order is a list of columns")
    if not all(len(pair) == 2 for pair in types):
        raise UsageError("the types are pairs of a column and its new type")
    return Chosen(page_rows, row_group_rows, list(sort), [list(pair) for pair in types])


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """The new file: its name, its bytes, and a sentence about it."""

    name: str
    size: int
    sentence: str


class _Stopped(Exception):
    """Ends the work of a thread whose steps were dropped."""


def write_what_if(
    file: ParquetFile,
    target: str,
    page_rows: int,
    row_group_rows: int,
    sort: Sequence[str] = (),
    types: Sequence[Sequence[str]] = (),
) -> Generator[float, None, Written]:
    """The steps to a new file in the present folder: with the best choices, and what is chosen. All values are compared.

    UsageError if the file was not tried, may not be written here, or `target` is taken or is not a plain name.
    """
    refused = why_not(file)
    if refused:
        raise UsageError(refused)
    made, chosen = _known(file), _chosen(page_rows, row_group_rows, sort, types)
    options = _options(made, chosen)
    _check_name(target)
    try:
        with writing(target, sources=file.local_names) as out:
            yield from _rewritten(file, out, options, chosen)
    except FileExistsError:
        raise UsageError(f"there is {printable(target)} already; choose another name") from None
    except OSError as error:
        raise UsageError(printable(f"{error.filename or file.name}: {error.strerror or error}")) from None  # fmt: skip
    written = os.path.getsize(target)
    sentence = f"{printable(target)} is written: {size(written)}. All its values are those of {printable(base_name(file.name))}."
    return Written(target, written, sentence)


def _rewritten(
    file: ParquetFile, out: OutputFile, options: WriteOptions, chosen: Chosen
) -> Generator[float, None, None]:
    """Rewrites in a thread, which stops when the steps are dropped."""
    done, stopped = [0.0], threading.Event()
    failed: list[Exception] = []

    def progress(share: float) -> None:
        done[0] = share
        if stopped.is_set():
            raise _Stopped

    def work() -> None:
        try:
            rewrite(file, out, options, verify=True, progress=progress, sort=chosen.sort, types=_types(chosen))
        except (ParquetError, UsageError, OSError, MemoryError, _Stopped) as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="pqexplore-rewrite")
    thread.start()
    try:
        while thread.is_alive():
            yield done[0]
            thread.join(0.05)
    finally:
        stopped.set()
        thread.join()
    for error in failed:
        raise error


ONLY_READS: ContextVar[str] = ContextVar("ONLY_READS", default="")
"""Why nothing is written where the explorer is shown; "" where the present folder is the user's."""


def why_not(file: ParquetFile) -> str:
    """Why the new file cannot be written from the explorer; "" if it can."""
    if ONLY_READS.get():
        return ONLY_READS.get()
    if not os.path.isfile(file.name):
        return "Only a local file is written anew here. For others, copy the code."
    if is_encrypted(file):
        return "The file is encrypted, and the new one would not be: use pqexplore.rewrite with options.encryption."
    return ""


def _check_name(target: str) -> None:
    plain = isinstance(target, str) and target == printable(target) and len(target) <= LONGEST
    if not plain or not target.endswith(ENDING) or target.startswith(".") or set(target) & set('/\\:*?"<>|'):  # fmt: skip
        raise UsageError(f"a name without folders that ends in {ENDING} is expected")


def target_of(file: ParquetFile) -> str:
    """A name for the new file that is free in the present folder."""
    stem = base_name(file.name).removesuffix(ENDING)
    stem = "".join(c if c.isalnum() or c in "-_ " else "-" for c in stem)[:100] or "file"
    names = (f"{stem}-smaller{'' if n == 1 else f'-{n}'}{ENDING}" for n in range(1, 1_000))
    return next((one for one in names if not os.path.lexists(one)), "")
