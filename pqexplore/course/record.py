"""Remembers which exercises are solved, in one small file of the user's.

The file is `~/.pqexplore/course.json`, or what the environment's `PQEXPLORE_COURSE` names. It holds the number of each
exercise that was tried, how often, and whether it is solved; no answers. Where it cannot be written, the record lasts as
long as the process.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from pqexplore.engine.errors import UsageError
from pqexplore.engine.output_file import writing

__all__ = ["Tried", "all_tried", "forget", "keep", "tries"]

LARGEST = 1 << 20
"""Bytes of the file that are read; a larger one is not ours."""


@dataclass
class Tried:
    """What is remembered of one exercise."""

    tries: int = 0
    """Answers since the last right one."""
    solved: bool = False


_HERE: dict[str, Tried] = {}
"""The record of this process, where no file can be written."""


def _place() -> Path:
    return Path(os.environ.get("PQEXPLORE_COURSE") or Path.home() / ".pqexplore" / "course.json")


def all_tried() -> dict[str, Tried]:
    """The record, by the exercise's number. A file that cannot be read, or is not ours, counts as empty."""
    try:
        return (_read() or {}) | _HERE
    except OSError:
        return dict(_HERE)


def _read() -> dict[str, Tried] | None:
    """What is in the file; None if it is not ours. OSError if it cannot be read."""
    with open(_place(), "rb") as file:
        text = file.read(LARGEST)
    try:
        return {
            str(number): Tried(int(one["tries"]), one["solved"] is True) for number, one in json.loads(text).items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def tries(number: str) -> int:
    """How often an exercise was tried since it was last right."""
    return all_tried().get(number, Tried()).tries


def keep(number: str, right: bool) -> None:
    """Remember an answer."""
    record = all_tried()
    one = record.setdefault(number, Tried())
    one.tries, one.solved = (0, True) if right else (one.tries + 1, one.solved)
    _write(record)


def forget() -> None:
    """Forget all answers, to begin the course anew."""
    _HERE.clear()
    _write({})


def _write(record: dict[str, Tried]) -> None:
    """Replace the file at once, so that two notebooks do not mix their lines; but not one that is not ours."""
    place = Path(os.path.realpath(_place()))
    text = json.dumps({number: vars(one) for number, one in sorted(record.items())}, indent=1)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists() and _read() is None:
            _HERE.update(record)
            return
        with writing(place, overwrite=True) as file:
            file.write(text.encode())
        _HERE.clear()
    except (OSError, UsageError):
        _HERE.update(record)
