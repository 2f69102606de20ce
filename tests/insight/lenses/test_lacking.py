"""A lens says that it has nothing to show of a column chunk exactly where its answer is empty."""

import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.lenses import LENSES, answer_of, finish

EMPTY = {
    "events": {"bloom", "dictionary", "nesting"},
    "deltas": {"bloom", "dictionary"},
    "dictionary-fallback": {"bloom"},
    "slow-no-page-index": {"bloom", "dictionary", "page_index"},
    "bloom-filter": set(),
}
"""The lenses that are empty at some column chunk of a sample."""


@pytest.mark.parametrize("sample", EMPTY)
def test_what_is_said_to_be_empty_is_empty(tmp_path, sample):
    path = tmp_path / "x.parquet"
    write_sample(sample, path)
    empty = set()
    with pqexplore.open(path) as file:
        for column in range(len(file.row_groups[0].columns)):
            node = file.node(f"row_groups/0/columns/{column}")
            for lens in LENSES.values():
                if lens.lacking is not None and lens.applies(node):
                    said = lens.lacking(file, node)
                    answer = finish(answer_of(file, node, lens))
                    assert bool(said) == bool(answer.empty), (column, lens.name)
                    empty |= {lens.name} if said else set()
    assert empty == EMPTY[sample]
