"""What an action saves: bytes, requests and seconds, from what the scan stored, and how each was computed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from pqexplore.engine.text import plural
from pqexplore.insight.wording import listing, size
from pqexplore.lake.doctor.diagnose import fact
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.what_if.compaction import Compaction


@dataclasses.dataclass(frozen=True, slots=True)
class Saving:
    """What is saved; None if it does not follow from what was stored. `how` says how it was computed."""

    bytes: int | None = None
    requests: int | None = None
    seconds: float | None = None
    how: str = ""

    @property
    def text(self) -> str:
        """The numbers in words; "" without any."""
        said = []
        if self.bytes:
            said.append(size(self.bytes))
        if self.requests:
            said.append(plural(self.requests, "request"))
        if self.seconds:
            said.append(f"{self.seconds:.2g} s")
        return listing(said)


def of_findings(found: Sequence[LakeFinding]) -> Saving:
    """The sums of the findings' costs: what the rules found wasted, or read in vain."""
    totals = [sum(getattr(one.cost, name) or 0 for one in found) or None for name in ("bytes", "requests")]
    if totals == [None, None]:
        return Saving()
    rules = listing([one.rule for one in found if one.cost.bytes or one.cost.requests], most=4)
    return Saving(totals[0], totals[1], None, f"the sum over the files of what {rules} found")


def of_compaction(made: Compaction, seconds: Mapping[str, Any]) -> Saving:
    """What joining small files saves. `seconds` has, by folder, how long the scan took for each file on average."""
    some = [one for one in made.folders if one.joined]
    if not some:
        return Saving()
    today, then = made.requests["spark"]
    bytes_ = sum(one.footers - one.footers_after for one in some)
    time = sum((one.joined - one.into) * seconds.get(one.folder, 0.0) for one in some)
    return Saving(
        max(0, bytes_) or None,
        max(0, today - then) or None,
        time or None,
        f"for each query that reads all files: {sum(one.joined for one in some):,} footers become "
        f"{sum(one.into for one in some):,}; bytes are those of footers, requests those that Spark reads them with, seconds "
        "what this scan took for a file, for each file less",
    )


def seconds_by_folder(files: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """How long the scan took for a readable file, on average, by folder."""
    sums: dict[str, tuple[float, int]] = {}
    for row in files:
        folder = fact(row).folder
        seconds, count = sums.get(folder, (0.0, 0))
        sums[folder] = seconds + (row["seconds"] or 0.0), count + 1
    return {folder: seconds / count for folder, (seconds, count) in sums.items()}
