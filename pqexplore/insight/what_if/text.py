"""A trial as lines for a terminal, and as JSON values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import printable
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.insight import terminal
from pqexplore.insight.json_values import plain
from pqexplore.insight.wording import percent, size

if TYPE_CHECKING:
    from pqexplore.insight.what_if.choices import Choice
    from pqexplore.insight.what_if.code import Script
    from pqexplore.insight.what_if.column import ColumnTrial
    from pqexplore.insight.what_if.saving import Saving
    from pqexplore.insight.what_if.trial import Trial

CHOICES = 12
"""Choices of a column that are printed, the smallest first. The table has all."""


def lines(trial: Trial, room: int, *, every: bool = False) -> Iterator[str]:
    """The sentence, then a row for the best choice of each column, most saved first; with `every`, also for its other choices."""
    yield from terminal.wrap(trial.sentence, room)
    columns = trial.columns if every else sorted(trial.columns, key=_saved, reverse=True)
    rows = [row for one in columns for row in _rows(one, every=every)]
    if rows:
        yield ""
        head = ("column", "today", "bytes", "of today", "encoding", "codec", "")
        most = terminal.most_lines(room)
        yield from terminal.table(head, rows[:most], room, right=" >>>")
        if most is not None and len(rows) > most:
            yield f"  {terminal.more(len(rows) - most, 'row')}"
    untried = [printable(f"  {path} was not tried: {why}") for path, why in trial.untried.items()]
    yield from terminal.listed(untried, lambda text: terminal.wrap(text, room, "    "), room, "column")


def so_far(columns: Iterable[ColumnTrial]) -> str:
    """What is saved most by the columns that were tried so far, in a few words; "" without any."""
    most = sorted((one for one in columns if _saved(one) > 0), key=_saved, reverse=True)[:SO_FAR]
    each = (f"{one.path} {size(one.today)} → {size(round(one.today - _saved(one)))}" for one in most)
    return f"so far {', '.join(each)}" if most else ""


SO_FAR = 3
"""Columns that are named while others are tried."""


def _saved(one: ColumnTrial) -> float:
    """Bytes that a column's best choice saves; 0 if it was not tried."""
    return one.today - one.sizes[one.best].bytes.total if one.best else 0.0


def savings(found: Sequence[Saving], room: int) -> Iterator[str]:
    """A line for each saving, the largest first, wrapped; nothing without savings."""
    if found:
        yield ""
    for one in found:
        yield from terminal.wrap(printable(one.sentence), room, "  ")


def _rows(one: ColumnTrial, *, every: bool) -> Iterator[tuple[str, ...]]:
    ordered = sorted(one.sizes, key=lambda choice: one.sizes[choice].bytes.total)
    for choice in ordered[:CHOICES] if every else [one.best] if one.best else []:
        found = one.sizes[choice].bytes
        ratio = percent(found.total / one.today) if one.today else ""
        about = "~" if found.sampled else ""
        mark = "best" if choice == one.best and every else ""
        bytes_ = f"{about}{size(round(found.total))}"
        encoding, codec = words(choice)
        yield one.path, size(one.today), bytes_, ratio, encoding, codec, mark


def words(choice: Choice) -> tuple[str, str]:
    """The encoding, and the codec with its level."""
    codec = choice.codec_name if choice.level is None else f"{choice.codec_name} {choice.level}"
    return choice.encoding_name, codec


def document(trial: Trial, found: Sequence[Saving]) -> dict[str, Any]:
    """A trial as JSON values: the sentence, the table, the columns that were not tried, the savings, the code."""
    return {
        "file": plain(trial.name),
        "size": trial.size,
        "sentence": trial.sentence,
        "table": plain(trial.table.to_pylist()),
        "untried": plain(trial.untried),
        "savings": [_saving(one) for one in found],
        "code": code_document(trial.code),
    }


def code_document(code: Mapping[str, Script]) -> dict[str, Any]:
    """Code by writer as JSON values."""
    return {
        writer: {"code": one.code, "bytes": one.bytes, "size": one.size, "left_out": list(one.left_out)}
        for writer, one in code.items()
    }


def _saving(one: Saving) -> dict[str, Any]:
    """A saving; `options` are those that differ from the defaults of `WriteOptions`."""
    changed = None if one.options is None else _changed(one.options)
    fields = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    return {name: plain(value) for name, value in fields.items()} | {
        "kind": str(one.kind),
        "options": changed,
        "sort": list(one.sort),
        "types": dict(one.types),
    }


def _changed(options: WriteOptions) -> dict[str, Any]:
    default = WriteOptions()
    names = [field.name for field in dataclasses.fields(options) if field.compare]
    given = {name: getattr(options, name) for name in names}
    return {k: plain(v) for k, v in given.items() if v != getattr(default, k)}
