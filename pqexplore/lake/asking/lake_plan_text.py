"""What a query reads of many files, as lines of text for a terminal and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import printable
from pqexplore.insight.ask.plan_text import LISTED
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import table, wrap
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.lake.asking.lake_plan import LakePlan


def lake_report(plan: LakePlan, room: int) -> Iterator[str]:
    """A plan of many files: its sentence, the stages, the files, remarks."""
    yield from (f"  {line}" for line in wrap(printable(plan.sentence), room - 2))
    yield from ("", "Stages")
    rows = [
        (
            one.name,
            f"{one.files_in:,} → {one.files_out:,}",
            f"{one.groups_in:,} → {one.groups_out:,}",
            f"{size(one.bytes_in)} → {size(one.bytes_out)}",
        )
        for one in plan.stages
    ]
    yield from table(("evidence", "files", "row groups", "bytes"), rows, room, right=" >>>")
    yield from ("", "Files")
    files = [
        (
            one["file"],
            "yes" if one["kept"] else "no",
            f"{one['row_groups']:,} of {one['of_row_groups']:,}",
            one["by"] or "",
            one["reason"] or "",
        )
        for one in plan.first_files(LISTED)
    ]
    yield from table(("file", "read", "row groups", "by", "reason"), files, room, right="  >")
    if plan.num_files > LISTED:
        yield f"  and {plan.num_files - LISTED:,} more"
    if plan.remarks:
        yield from ("", "Remarks")
        for remark in plan.remarks:
            yield from (f"  {line}" for line in wrap(printable(remark), room - 2))


def lake_document(plan: LakePlan) -> dict[str, Any]:
    """A plan of many files as JSON values."""
    return {
        "where": plan.where,
        "engine": plan.engine.name,
        "sentence": plan.sentence,
        "stages": [plain(one) for one in plan.stages],
        "files": plain(plan.files.to_pylist()),
        "bytes": plan.bytes,
        "wrong_rows": [plain(one) for one in plan.wrong_rows],
        "remarks": list(plan.remarks),
    }
