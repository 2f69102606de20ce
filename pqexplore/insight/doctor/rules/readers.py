"""Rules about readers: current ones that give other values of this file than it has, or refuse it.

What is known of the readers, and the features that they stumble over, are in `insight/doctor/readers`; `--readers` says the same,
reader by reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.wording import listing, name

if TYPE_CHECKING:
    from pqexplore.insight.doctor.readers.features import Found
    from pqexplore.insight.doctor.readers.table import Cell
    from pqexplore.insight.doctor.subject import Subject

STATUS = Source(
    "Implementation status of Parquet's readers", "https://parquet.apache.org/docs/file-format/implementationstatus/"
)

MAIN = ("pyarrow", "DuckDB", "polars", "Spark", "DataFusion")
"""The readers by which most files are read. What only others give or refuse is in `--readers`."""

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
    from pqexplore.insight.doctor.readers.predict import example
    from pqexplore.insight.doctor.readers.reader import Verdict
    from pqexplore.insight.doctor.readers.table import VERSIONS

    where = listing([name(one) for one in found.columns], most=4)
    has = f"{where} {'have' if len(found.columns) > 1 else 'has'} {title}" if where else f"The file has {title}"
    able = [one for one in MAIN if one in cells and cells[one].verdict is Verdict.READS]
    for verdict, rule in ((Verdict.WRONG, "readers-change-values"), (Verdict.REFUSES, "readers-refuse")):
        of = {one: cells[one] for one in MAIN if one in cells and cells[one].verdict is verdict}
        if not of:
            continue
        first, *others = of
        said = example(first, found) if verdict is Verdict.WRONG else ""
        what = f"{first} {VERSIONS[first]} {_does(verdict, of[first], said)}"
        more = (
            f"; so {'does' if len(others) == 1 else 'do'} {listing([f'{one} {VERSIONS[one]}' for one in others])}"
            if others
            else ""
        )
        note = verdict is Verdict.REFUSES and len(of) < MANY
        yield Finding(
            rule,
            found.address,
            f"{has}: {what}{more}.",
            {
                "feature": found.name,
                "columns": list(found.columns),
                "readers": {one: cell.what for one, cell in of.items()},
                **({} if found.seen is None or found.seen.example is None else _seen(found)),
            },
            severity=Severity.NOTE if note else None,  # type: ignore[arg-type]  # that of the record
            column=found.columns[0] if len(found.columns) == 1 else "",
            rows=found.seen.count if found.seen is not None and found.seen.count else None,
            cost=Cost(f"{listing(list(of))} cannot read {'the file' if of[first].whole else 'it'}")
            if verdict is Verdict.REFUSES
            else Cost("a program that reads it with these gets other values, and no error"),
            fix=f"Read it with {listing(able, 'or')}, or write it another way." if able else "Write it another way.",
        )


def _seen(found: Found) -> dict[str, object]:
    assert found.seen is not None and found.seen.example is not None
    one = found.seen.example
    return {
        "values": found.seen.count,
        "looked": found.seen.looked,
        "value": one.value,
        "row": one.row,
        "read": one.read,
    }


def _does(verdict: object, cell: Cell, said: str) -> str:
    from pqexplore.insight.doctor.readers.reader import Verdict

    if verdict is Verdict.REFUSES:
        return f"refuses {'the whole file' if cell.whole else 'the column'} ({cell.what})"
    return said.removeprefix("it ") if said else f"gives other values, and no error: {cell.what}"


def _both(subject: Subject, rule: str) -> Iterator[Finding]:
    return (one for one in predicted(subject) if one.rule == rule)


RULES = (
    Rule(
        "readers-change-values", Severity.WRONG, FOOTER, "Values that a current reader changes without an error",
        "The file is right, and a program that reads it is not: it gets other values, and no error.",
        lambda subject: _both(subject, "readers-change-values"), STATUS,
        f"One of {listing(list(MAIN), 'or')} gives other values, by a run of the version that is named. Above level "
        "`footer`, values of INT96 are looked at.",
    ),
    Rule(
        "readers-refuse", Severity.PORTABILITY, FOOTER, "What current readers refuse",
        "A file is of use as far as it can be read.",
        lambda subject: _both(subject, "readers-refuse"), STATUS,
        f"{MANY} of {listing(list(MAIN))} refuse it, by a run of the versions that are named; it is a note if one does.",
    ),
)  # fmt: skip
