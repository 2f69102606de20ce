"""The date of a file: that of its partition folder, or the day on which it was last changed; and days in words."""

from __future__ import annotations

import datetime
import re

from pqexplore.lake.listed_files import Entry

FOLDER, MODIFIED = "partition folder", "modification time"

_DAY = re.compile(r"=(\d{4})-?(\d{2})-?(\d{2})(?:$|[/T %])")
_PARTS = re.compile(r"(?:^|/)year=(\d{4})/month=(\d{1,2})/day=(\d{1,2})(?:$|/)")


def dated(entry: Entry) -> tuple[str, str]:
    """(YYYY-MM-DD, where it is from); two empty texts if it is not known."""
    folder = day_of_folders(entry.partition_values)
    if folder:
        return folder, FOLDER
    if entry.modified is None:
        return "", ""
    try:
        changed = datetime.datetime.fromtimestamp(entry.modified / 1e6, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return "", ""
    return changed.date().isoformat(), MODIFIED


def day_of_folders(folders: str) -> str:
    """YYYY-MM-DD of some `key=value`; "" without a date."""
    for pattern in (_DAY, _PARTS):
        match = pattern.search(folders)
        if match:
            try:
                return datetime.date(*map(int, match.groups())).isoformat()
            except ValueError:  # a number of eight digits that is no date
                continue
    return ""


def between(first: str, last: str, dated_by: str) -> str:
    """The days of some files in words; empty if they are not known."""
    if not first:
        return ""
    begin = "in the folders of" if dated_by == FOLDER else "last changed"
    one, other = datetime.date.fromisoformat(first), datetime.date.fromisoformat(last)
    if one == other:
        return f"{begin} {'' if dated_by == FOLDER else 'on '}{_day(one)}"
    if (one.year, one.month) == (other.year, other.month):
        start = str(one.day)
    else:
        start = f"{one.day} {one:%B}" if one.year == other.year else _day(one)
    if dated_by == FOLDER:
        return f"{begin} {start} to {_day(other)}"
    return f"{begin} between {start} and {_day(other)}"


def _day(date: datetime.date) -> str:
    return f"{date.day} {date:%B} {date.year}"
