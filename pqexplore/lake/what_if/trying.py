"""Tries other encodings and codecs on each file of a sample, where a scan reads files."""

from __future__ import annotations

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.thrift.structs import Type, enum_name
from pqexplore.engine.text import clip
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if import trial
from pqexplore.insight.what_if.budget import Budget
from pqexplore.insight.what_if.column import ColumnTrial
from pqexplore.lake.footer_rows.inspection import LONGEST
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.scanning.per_file import EachFile, Row
from pqexplore.lake.store.temporary_tables import TRIALS
from pqexplore.lake.tables import NAME


class Trying(EachFile):
    """Builds rows of `trials` in batches."""

    table = TRIALS

    def rows(self, entry: Entry, file: ParquetFile) -> list[Row]:
        """A row for each column and choice."""
        self.pulse.enter("check")
        found = finish(trial.steps(file, budget=Budget(seconds=self.options.trial)))
        base = {"run_id": self.options.run_id, "path": entry.path}
        return [base | row for column in found.columns for row in _rows(column)]

    def failed(self, entry: Entry, code: str, message: str) -> Row:
        """The row of a file that could not be tried."""
        return {"run_id": self.options.run_id, "path": entry.path, "untried": clip(message, LONGEST) or code}


def _rows(column: ColumnTrial) -> list[Row]:
    base: Row = {
        "column_name": clip(column.path, NAME),
        "physical_type": enum_name(Type, column.leaf.physical_type),
        "today": column.today,
        "row_groups": column.row_groups,
    }
    if column.untried:
        return [base | {"untried": clip(column.untried, LONGEST)}]
    return [
        base
        | {
            "encoding": one.encoding,
            "dictionary_bytes": one.dictionary_bytes,
            "codec": one.codec,
            "level": one.level,
            "bytes": size.bytes.total,
            "variance": size.bytes.variance,
            "seconds": size.seconds,
        }
        for one, size in column.sizes.items()
    ]
