"""INT96 of a day that no timestamp reaches: its column is read as stored, with a finding, and the others are read."""

import pyarrow as pa
import pytest
from engine.far_int96 import FAR, GOOD, file_of, stored

import pqexplore
from pqexplore.insight.lenses import applying

PLACE = "row_groups/1/columns/0/pages/0/values/1"


@pytest.fixture
def file():
    return pqexplore.open(file_of(GOOD, FAR))


def test_the_column_is_read_as_stored_and_the_others_are_read(file):
    table = file.read()
    assert table["t"].type == pa.binary(12)
    assert table["t"].to_pylist() == stored(GOOD + FAR)
    assert table["n"].to_pylist() == [1, 2, 3] * 2
    assert [(one.rule, one.severity.level, one.address) for one in file.findings] == [
        ("int96-out-of-range", "warning", PLACE)
    ]


def test_a_row_group_without_such_a_value_keeps_its_timestamps(file):
    assert file.read(row_groups=[0])["t"].type == pa.timestamp("ns")
    assert not file.findings


def test_pages_chunks_head_and_frames_read_it_too(file):
    chunk = file.row_groups[1].columns[0]
    for values in (chunk.pages[0].values, chunk.values, file.head(5)["t"].combine_chunks()[3:]):
        assert values.type == pa.binary(12)
    assert list(file.to_pandas()["t"]) == stored(GOOD + FAR)
    assert [one.rule for one in file.findings] == ["int96-out-of-range"]


def test_check_names_the_row(file):
    [found] = [one for one in file.check() if one.rule == "int96-out-of-range"]
    assert (found.severity.level, found.address) == ("warning", PLACE)
    assert "4375939-02-10 00:00:00.000000000 in row 1 of the row group" in found.message


def test_salvage_and_rewrite_keep_the_bytes(file, tmp_path):
    pqexplore.rewrite(file, tmp_path / "new.parquet", verify=True)
    pqexplore.salvage(file_of(GOOD, FAR)).write(tmp_path / "saved.parquet")
    for name in ("new", "saved"):
        assert pqexplore.open(tmp_path / f"{name}.parquet").read().equals(file.read())


def test_every_lens_answers(file):
    def nodes(node, depth=8):
        yield node
        for child in node.children if depth else ():
            yield from nodes(child, depth - 1)

    answers = [
        (node.address, lens.name, file.view(lens.name, at=node.address))
        for node in nodes(file.root)
        for lens in applying(node)
    ]
    assert [one[:2] for one in answers if not (one[2].sentence or one[2].table is not None)] == []
