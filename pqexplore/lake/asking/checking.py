"""Compares a lake's plan with the values of the files that it reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan


@dataclasses.dataclass(frozen=True, slots=True)
class LakeVerification:
    """What the values say of the plan of a lake.

    - `matches`: a row for each row group of the files that were opened: file, row_group, kept (by the lake's plan),
      matching (rows that meet the condition; null if it could not be checked).
    - `false_positives`: the files that are read and have no matching row. `lost`: (file, row group) that the lake's plan
      skips although rows match. `errors`: why a file could not be checked. `unchecked`: files that were not opened.
    """

    matches: pa.Table
    false_positives: tuple[str, ...]
    lost: tuple[tuple[str, int], ...]
    errors: dict[str, str]
    unchecked: int
    sentence: str


def verify_lake(
    files: Sequence[str], kept: set[tuple[str, int]], open_file: Callable[[str], Plan], unchecked: int
) -> LakeVerification:
    """Opens files and counts the rows that match; `kept` has the row groups that the lake's plan reads."""
    rows: dict[str, list[object]] = {"file": [], "row_group": [], "kept": [], "matching": []}
    false: list[str] = []
    lost: list[tuple[str, int]] = []
    errors: dict[str, str] = {}
    for path in files:
        try:
            with open_file(path) as plan:
                found = plan.verify().matches
        except (ParquetError, UsageError, OSError) as error:
            errors[path] = printable(str(error))
            continue
        groups, matching = found["row_group"].to_pylist(), found["matching"].to_pylist()
        for group, count in zip(groups, matching, strict=True):
            rows["file"].append(path)
            rows["row_group"].append(group)
            rows["kept"].append((path, group) in kept)
            rows["matching"].append(count)
            if count and (path, group) not in kept:
                lost.append((path, group))
        if None not in matching and not sum(matching):
            false.append(path)
    types = (pa.string(), pa.int32(), pa.bool_(), pa.int64())
    matches = pa.table({name: pa.array(values, kind) for (name, values), kind in zip(rows.items(), types, strict=True)})
    opened = len(files) - len(errors)
    said = [f"{opened - len(false):,} of {plural(opened, 'file')} that were opened have rows that match."]
    if lost:
        said.append(f"{plural(len(lost), 'row group')} with such rows {_is(len(lost))} skipped.")
    if errors:
        said.append(f"{plural(len(errors), 'file')} could not be checked.")
    if unchecked:
        said.append(f"{plural(unchecked, 'more file')} that the plan reads {_is(unchecked)} not opened.")
    return LakeVerification(matches, tuple(false), tuple(lost), errors, unchecked, " ".join(said))


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
