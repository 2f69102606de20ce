"""Rules about readers: current ones that give other values of this file than it has, or refuse it.

What is known of the readers, and the features that they stumble over, are in `insight/doctor/readers`; `--readers` says the same,
reader by reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.insight.doctor.readers.features import Found
    from pqexplore.insight.doctor.readers.reader import Verdict
    from pqexplore.insight.doctor.readers.table import Cell
    from pqexplore.insight.doctor.subject import Subject

STATUS = Source(
    "Implementation status of Parquet's readers", "https://parquet.apache.org/docs/file-format/implementationstatus/"
)

MAIN = ("pyarrow", "DuckDB", "polars", "Spark", "DataFusion")
"""The readers by which most files are read. What only others give or refuse is in `--readers`."""

CHANGE, REFUSE = "readers-change-values", "readers-refuse"

FORMS = frozenset(("variant-shredded", "list-without-converted", "legacy-list-of-lists", "repeated-group-of-one"))
"""Features that these readers give in another form, which shows: no value is another."""

MANY = 2
"""So many of these refuse a feature that is no longer only a matter of one reader's choice."""

SAID = frozenset(
    [
        "duplicate-names",
        "names-differ-in-case",
        "legacy-list",
        "empty-legacy-list",
        "repeated-primitive",
        "repeated-group",
        "encrypted-footer",
        "encrypted-columns",
        "signed-footer-ctr",
        "other-files",
        "unread",
        "no-chunk-metadata",
        "count-missing",
        "negative-row-count",
        "negative-group-rows",
        "negative-value-count",
        "no-values-counted",
        "no-values-counted-at-all",
        "row-count-zero",
        "row-counts-differ",
        "bound-of-wrong-length",
        "bit-packed-levels",
        "int96-very-far",
    ]
)
"""Features that other rules, other features and the checks say, with what they cost."""


def changed(subject: Subject) -> Iterator[Finding]:
    """A finding for each feature by which a main reader gives other values."""
    from pqexplore.insight.doctor.readers.reader import Verdict

    for found, title, of in _by(subject, Verdict.WRONG):
        yield Finding(
            CHANGE,
            found.address,
            _changed(found, title, of),
            _evidence([found], of),
            severity=Severity.PORTABILITY if found.name in FORMS else Severity.WRONG,
            column=found.columns[0] if len(found.columns) == 1 else "",
            rows=found.seen.count if found.seen is not None and found.seen.count else None,
            cost=Cost(f"a program that reads it with these gets {_gets(found)}, and no error"),
            fix=_way_out([found], _features(subject)),
        )


def _gets(found: Found) -> str:
    return "values of another type" if found.name in FORMS else "other values"


def refused(subject: Subject) -> Iterator[Finding]:
    """A finding for the features that the same readers refuse."""
    from pqexplore.insight.doctor.readers.reader import Verdict

    by_readers: dict[tuple[tuple[str, bool], ...], list[tuple[Found, str, dict[str, Cell]]]] = {}
    for one in _by(subject, Verdict.REFUSES):
        by_readers.setdefault(tuple((engine, cell.whole) for engine, cell in one[2].items()), []).append(one)
    places: set[str] = set()
    for each in by_readers.values():
        found = [one for one, _, _ in each]
        columns = list(dict.fromkeys(column for one in found for column in one.columns))
        cells = each[0][2]
        engines, whole = list(cells), next(iter(cells.values())).whole
        address = next((one.address for one in found if one.address not in places), "schema")
        places.add(address)
        yield Finding(
            REFUSE,
            address,
            _refused(each, cells),
            _evidence(found, cells),
            severity=Severity.NOTE if len(engines) < MANY else Severity.PORTABILITY,
            column=columns[0] if len(columns) == 1 else "",
            cost=Cost(f"{listing(engines)} cannot read {'the file' if whole else 'it'}"),
            fix=_way_out(found, _features(subject)),
        )


def _by(subject: Subject, wanted: Verdict) -> Iterator[tuple[Found, str, dict[str, Cell]]]:
    """The features with a verdict of main readers: with their titles, and these readers' cells."""
    from pqexplore.insight.doctor.readers.known import KNOWN
    from pqexplore.insight.doctor.readers.reader import Verdict

    every = _features(subject)
    stopped = _stopped(every) if wanted is Verdict.WRONG else frozenset()
    for found in every:
        cells = KNOWN[found.name].cells
        of = {one: cells[one] for one in MAIN if one in cells and cells[one].verdict is wanted and one not in stopped}
        if of and found.name not in SAID:
            yield found, KNOWN[found.name].title, of


def _way_out(found: Sequence[Found], every: Sequence[Found]) -> str:
    """The main readers that read all of these features of a file with `every` feature, or else another way to write them."""
    from pqexplore.insight.doctor.readers.known import KNOWN
    from pqexplore.insight.doctor.readers.reader import Verdict

    cells = [KNOWN[one.name].cells for one in found]
    columns = {column for one in found for column in one.columns}
    beside = [KNOWN[one.name].cells for one in every if columns.intersection(one.columns)]
    stopped = _stopped(every)
    able = [
        one
        for one in MAIN
        if one not in stopped and all(one in each and each[one].verdict is Verdict.READS for each in (*cells, *beside))
    ]
    return f"Read it with {listing(able, 'or')}, or write it another way." if able else "Write it another way."


def _evidence(found: Sequence[Found], of: dict[str, Cell]) -> dict[str, object]:
    return {
        "features": [one.name for one in found],
        "columns": list(dict.fromkeys(column for one in found for column in one.columns)),
        "readers": {one: cell.what for one, cell in of.items()},
        **_seen(found[0]),
    }


def _stopped(every: Sequence[Found]) -> frozenset[str]:
    """The readers that refuse the whole file for one of its features."""
    from pqexplore.insight.doctor.readers.known import KNOWN

    return frozenset(engine for one in every for engine, cell in KNOWN[one.name].cells.items() if cell.whole)


_known: Latest[Subject, list[Found]] = Latest(1)


def _features(subject: Subject) -> list[Found]:
    from pqexplore.insight.doctor.readers.features import of_subject

    known = _known.get(subject, "")
    if known is None:
        known = of_subject(subject)
        _known.put(subject, "", known)
    return known


def _changed(found: Found, title: str, of: dict[str, Cell]) -> str:
    """What readers make of the first value with a feature; without one, how they read it."""
    first, *others = of
    where, seen = _columns(found), found.seen
    more = f"; {_named(others)} {'changes' if len(others) == 1 else 'change'} it, too" if others else ""
    if found.name in FORMS:
        too = f"; so {'does' if len(others) == 1 else 'do'} {_named(others)}" if others else ""
        return f"{_named([first])} reads {where} in another form, without an error: {of[first].what} ({title}){too}."
    if seen is None or seen.example is None or first not in seen.example.read:
        return f"{_named([first])} gives other values of {where}, without an error: {of[first].what} ({title}){more}."
    one = seen.example
    row = "" if one.row is None else f"row {one.row:,}; "
    many = f"{seen.count:,} of {plural(seen.looked, 'value')}"
    return f"{_named([first])} reads {one.value} of {where} as {one.read[first]} ({row}{many}): {title}{more}."


def _refused(each: Sequence[tuple[Found, str, dict[str, Cell]]], cells: dict[str, Cell]) -> str:
    """What readers refuse: the columns with what they have, and the words of the first reader."""
    first, *others = cells
    parts = [f"{_columns(found)} ({title})" for found, title, _ in each]
    what = "the whole file because of " if cells[first].whole and any(found.columns for found, _, _ in each) else ""
    more = f"; so {'does' if len(others) == 1 else 'do'} {_named(others)}" if others else ""
    return f"{_named([first])} refuses {what}{listing(parts, most=4)}: {cells[first].what.rstrip('.')}{more}."


def _columns(found: Found) -> str:
    return listing([name(one) for one in found.columns], most=4) or "the file"


def _named(engines: Sequence[str]) -> str:
    """Readers with their versions."""
    from pqexplore.insight.doctor.readers.table import VERSIONS

    return listing([f"{one} {VERSIONS[one]}" for one in engines])


def _seen(found: Found) -> dict[str, object]:
    """What was seen of the values with a feature, as evidence; empty if nothing was."""
    seen = found.seen
    if seen is None or seen.example is None:
        return {}
    one = seen.example
    return {"values": seen.count, "looked": seen.looked, "value": one.value, "row": one.row, "read": one.read}


RULES = (
    Rule(
        CHANGE, Severity.WRONG, FOOTER, "Values that a current reader changes without an error",
        "The file is right, and a program that reads it is not: it gets other values, and no error.",
        changed, STATUS,
        f"One of {listing(list(MAIN), 'or')} gives other values, by a run of the version that is named. Above level "
        "`footer`, values of INT96 are looked at.",
    ),
    Rule(
        REFUSE, Severity.PORTABILITY, FOOTER, "What current readers refuse",
        "A file is of use as far as it can be read.",
        refused, STATUS,
        f"{MANY} of {listing(list(MAIN))} refuse it, by a run of the versions that are named; it is a note if one does.",
    ),
)  # fmt: skip
