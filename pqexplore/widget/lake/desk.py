"""What the view of a lake asks for: a panel's answer, more of its table, what its picture needs later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.brief import brief
from pqexplore.lake.doctor.report import LINE
from pqexplore.lake.lake import Lake
from pqexplore.lake.panels import answer_of, panels_of
from pqexplore.lake.panels.about import about
from pqexplore.lake.panels.doctor import diagnosed
from pqexplore.lake.panels.empty import empty
from pqexplore.lake.panels.filters import Filters
from pqexplore.lake.panels.objects import lost
from pqexplore.lake.panels.root import relative, root
from pqexplore.lake.panels.search import search
from pqexplore.widget import sheet
from pqexplore.widget.headline import Headline
from pqexplore.widget.words import glossary

if TYPE_CHECKING:
    from pqexplore.lake.panels import Subject


def panel(subject: Subject, panel: str, filters: str = "", typed: str = "") -> dict[str, Any]:
    """What a panel shows."""
    made = answer_of(subject, panel, filters, typed, fresh=panel == "skipping")  # lists the dataset
    return {
        "answer": made.sentence,
        "empty": made.empty,
        "picture": made.picture,
        "table": sheet.first(relative(made.table, root(subject)))
        if made.table is not None and made.table.rows
        else None,
        "code": made.code,
    }


def table(subject: Subject, lens: str, address: str, start: int, typed: str = "") -> dict[str, Any]:
    """More rows of the table of the panel `lens`; `address` are the filters."""
    made = answer_of(subject, lens, address, typed)
    if made.table is None:
        raise UsageError(f"the panel {lens} has no table")
    return sheet.part(relative(made.table, root(subject)), start)


def headline(subject: Subject) -> Headline:
    """The worst finding of all files. Where many wait for their diagnosis and the scan shows none: what the files are."""
    if not isinstance(subject, Lake):
        hazards = subject.check_upstream()
        if hazards:
            return Headline(f"{lost(subject, hazards)}.", Severity.WRONG.value)
        said = answer_of(subject, next(iter(panels_of(subject)))).sentence
        return Headline(brief(said, LINE), "")
    try:
        report, waiting = diagnosed(subject, Filters())
    except (ParquetError, UsageError):  # the files cannot be read now: the diagnosis says why
        return Headline(answer_of(subject, "fleet").sentence, "")
    worst = None if report is None else report.worst()
    mended = worst is None or worst is Severity.NOTE
    if report is None or (waiting and mended):
        return Headline(answer_of(subject, "fleet").sentence, "")
    return Headline(report.headline, "" if worst is None or mended else worst.value)


def operations(subject: Subject) -> dict[str, Callable[..., object]]:
    """The requests that the view of a lake or of a Metadatastore makes, by name."""
    found: dict[str, Callable[..., object]] = {
        "about": about,
        "headline": headline,
        "empty": empty,
        "glossary": glossary,
        "panel": panel,
        "search": search,
        "table": table,
    }
    for one in panels_of(subject).values():
        found |= one.operations
    return found
