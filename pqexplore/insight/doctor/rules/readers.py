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
    from pqexplore.insight.doctor.readers.table import Cell
    from pqexplore.insight.doctor.subject import Subject

STATUS = Source(
    "Implementation status of Parquet's readers", "https://parquet.apache.org/docs/file-format/implementationstatus/"
)

MAIN = ("pyarrow", "DuckDB", "polars", "Spark", "DataFusion")
"""The readers by which most files are read. What only others give or refuse is in `--readers`."""

CHANGE, REFUSE = "readers-change-values", "readers-refuse"

MANY = 2
"""So many of these refuse a feature that is no longer only a matter of one reader's choice."""

SAID = frozenset(
    (
        *("duplicate-names", "names-differ-in-case", "legacy-list", "empty-legacy-list", "repeated-primitive"),
        *("repeated-group", "encrypted-footer", "encrypted-columns", "signed-footer-ctr", "other-files", "unread"),
        *("no-chunk-metadata", "count-missing", "negative-row-count", "negative-group-rows", "negative-value-count"),
        *(
            "no-values-counted",
            "no-values-counted-at-all",
            "row-count-zero",
            "row-counts-differ",
            "bound-of-wrong-length",
        ),
        *(
            "no-columns",
            "converted-null",
            "null-with-converted",
            "optional-map-key",
            "map-without-value",
            "map-key-value",
        ),
        *("unknown-pages", "unknown-logical-type", "logical-type-extension", "lz4-frame", "bit-packed-levels"),
    )
)
"""Features that other rules and the checks say, with what they cost."""


def predicted(subject: Subject) -> Iterator[Finding]:
    """A finding for each feature by which a main reader gives other values, and for each that one refuses."""
    from pqexplore.insight.doctor.readers.known import KNOWN

    for found in _features(subject):
        cells = KNOWN[found.name].cells
        if found.name not in SAID:
            yield from _of_feature(found, KNOWN[found.name].title, cells)


_known: Latest[Subject, list[Found]] = Latest(1)


def _features(subject: Subject) -> list[Found]:
    from pqexplore.insight.doctor.readers.features import of_subject

    known = _known.get(subject, "")
    if known is None:
        known = of_subject(subject)
        _known.put(subject, "", known)
    return known


def _of_feature(found: Found, title: str, cells: dict[str, Cell]) -> Iterator[Finding]:
    from pqexplore.insight.doctor.readers.reader import Verdict

    able = [one for one in MAIN if one in cells and cells[one].verdict is Verdict.READS]
    for verdict, rule in ((Verdict.WRONG, CHANGE), (Verdict.REFUSES, REFUSE)):
        of = {one: cells[one] for one in MAIN if one in cells and cells[one].verdict is verdict}
        if not of:
            continue
        whole = next(iter(of.values())).whole
        yield Finding(
            rule,
            found.address,
            (_changed if rule == CHANGE else _refused)(found, title, of),
            {
                "feature": found.name,
                "columns": list(found.columns),
                "readers": {one: cell.what for one, cell in of.items()},
                **_seen(found),
            },
            severity=Severity.NOTE if rule == REFUSE and len(of) < MANY else None,  # type: ignore[arg-type]  # the record's
            column=found.columns[0] if len(found.columns) == 1 else "",
            rows=found.seen.count if found.seen is not None and found.seen.count else None,
            cost=Cost(f"{listing(list(of))} cannot read {'the file' if whole else 'it'}")
            if rule == REFUSE
            else Cost("a program that reads it with these gets other values, and no error"),
            fix=f"Read it with {listing(able, 'or')}, or write it another way." if able else "Write it another way.",
        )


def _changed(found: Found, title: str, of: dict[str, Cell]) -> str:
    """What readers make of the first value with a feature; without one, how they read it."""
    first, *others = of
    where, seen = _columns(found), found.seen
    more = f"; {_named(others)} {'changes' if len(others) == 1 else 'change'} it, too" if others else ""
    if seen is None or seen.example is None or first not in seen.example.read:
        return f"{_named([first])} gives other values of {where}, without an error: {of[first].what} ({title}){more}."
    one = seen.example
    row = "" if one.row is None else f"row {one.row:,}; "
    many = f"{seen.count:,} of {plural(seen.looked, 'value')}"
    return f"{_named([first])} reads {one.value} of {where} as {one.read[first]} ({row}{many}): {title}{more}."


def _refused(found: Found, title: str, of: dict[str, Cell]) -> str:
    first, *others = of
    what = f"the whole file because of {_columns(found)}" if of[first].whole and found.columns else _columns(found)
    more = f"; so {'does' if len(others) == 1 else 'do'} {_named(others)}" if others else ""
    return f"{_named([first])} refuses {what} ({title}): {of[first].what.rstrip('.')}{more}."


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


def _both(subject: Subject, rule: str) -> Iterator[Finding]:
    return (one for one in predicted(subject) if one.rule == rule)


RULES = (
    Rule(
        CHANGE, Severity.WRONG, FOOTER, "Values that a current reader changes without an error",
        "The file is right, and a program that reads it is not: it gets other values, and no error.",
        lambda subject: _both(subject, CHANGE), STATUS,
        f"One of {listing(list(MAIN), 'or')} gives other values, by a run of the version that is named. Above level "
        "`footer`, values of INT96 are looked at.",
    ),
    Rule(
        REFUSE, Severity.PORTABILITY, FOOTER, "What current readers refuse",
        "A file is of use as far as it can be read.",
        lambda subject: _both(subject, REFUSE), STATUS,
        f"{MANY} of {listing(list(MAIN))} refuse it, by a run of the versions that are named; it is a note if one does.",
    ),
)  # fmt: skip
