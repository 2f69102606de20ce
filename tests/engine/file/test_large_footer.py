"""A large footer is read as far as it is needed; damage in the rest is met then, and stays an answer."""

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.file import footer


@pytest.fixture
def data(monkeypatch):
    """A hundred row groups under a footer that counts as large."""
    monkeypatch.setattr(footer, "LARGE", 1_000)
    return parquet(pa.table({"x": range(1_000)}), row_group_size=10, compression="none")


def damaged(data):
    """The same with the last row groups of the footer overwritten."""
    length = int.from_bytes(data[-8:-4], "little")
    at = len(data) - 8 - length // 5
    return data[:at] + b"\xff" * 40 + data[at + 40 :]


def test_the_first_row_group_needs_only_the_beginning_of_the_footer(data):
    with pqexplore.open(damaged(data)) as file:
        assert file.num_rows == 1_000
        assert file.row_groups[0].columns[0].pages[1].values.to_pylist() == list(range(10))
        assert file.footer_damage is not None


def test_the_layout_of_a_file_with_a_damaged_large_footer_tiles_it(data):
    with pqexplore.open(damaged(data)) as file:
        for level in ("chunks", "pages"):
            layout = file.layout(level)
            starts, ends = layout["start"].to_pylist(), layout["end"].to_pylist()
            assert (starts[0], ends[-1]) == (0, file.size)
            assert starts[1:] == ends[:-1]
        assert [finding.address for finding in file.findings if finding.severity == "error"]


def test_the_tree_and_the_checks_report_a_damaged_large_footer(data):
    with pqexplore.open(damaged(data)) as file:
        assert file.root.state == "corrupt"
        assert [child.kind for child in file.root.children][:2] == ["magic", "footer"]
        [error] = [finding for finding in file.check() if finding.severity == "error"]
        assert error.message == file.root.reason
        assert error.address == "footer"
        assert "pqexplore.salvage" in error.message
