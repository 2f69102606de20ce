"""Opening: one read of the tail, and the right error for what is no Parquet file."""

import time

import pyarrow as pa
import pytest
from made import events, parquet, rebuilt

import pqexplore
from pqexplore import CorruptFileError, LimitExceededError, NotParquetError
from pqexplore.engine.file import footer as footers

GOOD = parquet(pa.table({"a": [1, 2, 3]}))
FOOTER = int.from_bytes(GOOD[-8:-4], "little")


def _ending(footer: bytes, length: int | None = None, magic: bytes = b"PAR1") -> bytes:
    size = len(footer) if length is None else length
    return b"PAR1" + footer + size.to_bytes(4, "little") + magic


def _nested(depth: int) -> bytes:
    """A list in a list in a list, in an unknown field of the footer."""
    return b"\x09\x90\x03" + b"\x19" * depth + b"\x00"


# what it is | bytes | error | offset | message
BAD = [
    ("nothing", b"", NotParquetError, 0, "is empty"),
    ("eleven bytes", b"PAR1abcPAR1", NotParquetError, 0, "has 11 bytes"),
    ("text", b"hello, this is text", NotParquetError, 15, "not a Parquet file"),
    ("cut off", GOOD[:-1], NotParquetError, len(GOOD) - 5, "cut off or still being written"),
    ("length beyond the file", GOOD[:-8] + b"\xff\xff\xff\x7fPAR1", CorruptFileError, len(GOOD) - 8, "has room for"),
    ("length one too many", _ending(b"1234567", 8), CorruptFileError, 11, "says 8 bytes"),
    ("length 0", _ending(b"1234", 0), CorruptFileError, 8, "says 0"),
    ("garbage", _ending(b"\xff" * 40), CorruptFileError, 4, "struct|nest"),
    ("all zero", _ending(bytes(40)), CorruptFileError, 4, "no schema"),
    ("a million levels", _ending(_nested(1 << 20)), CorruptFileError, 4, "struct|nest"),
    ("two billion row groups", _ending(b"\x15\x02\x19\x1c\x48\x01a\x00\x16\x00\x19\xfc\xff\xff\xff\xff\x07"), CorruptFileError, None, "end inside"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "error", "offset", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_what_cannot_be_opened_says_why_and_where(data, error, offset, message):
    start = time.monotonic()
    with pytest.raises(error, match=message) as caught:
        pqexplore.open(data)
    assert time.monotonic() - start < 5  # a bound on hanging, not a measure of speed
    assert caught.value.offset is not None or caught.value.address
    if offset is not None and error is NotParquetError:
        assert caught.value.offset == offset


def test_the_footer_costs_one_read_of_the_tail():
    big = parquet(pa.table({"a": pa.array(range(200_000), pa.int64())}), compression=None)
    assert len(big) > 1 << 20
    with pqexplore.open(big) as file:
        assert file.source.reads == 1
        assert file.bytes_read == 64 << 10
        assert file.num_rows == 200_000


def test_a_footer_larger_than_the_tail_costs_two():
    wide = parquet(pa.table({f"column {n}": [n] for n in range(2000)}))
    with pqexplore.open(wide) as file:
        assert file.source.reads == 2
        assert len(file.row_groups[0].columns) == 2000


def test_a_footer_beyond_the_limit_is_refused_before_it_is_read():
    with pytest.raises(LimitExceededError, match="footer_bytes"):
        pqexplore.open(GOOD, limits=pqexplore.Limits(footer_bytes=FOOTER - 1))
    pqexplore.open(GOOD, limits=pqexplore.Limits(footer_bytes=FOOTER)).close()


def test_a_missing_required_field_is_an_error_of_its_struct_only():
    data = rebuilt(parquet(events(10)), row_groups__0__columns__1__meta_data__num_values=None)
    columns = pqexplore.open(data).row_groups[0].columns
    assert columns[0].metadata.num_values == 10
    with pytest.raises(CorruptFileError, match="lacks its required field num_values") as caught:
        columns[1].metadata  # noqa: B018
    assert caught.value.address == "row_groups/0/columns/1/metadata"
    assert caught.value.message.endswith("num_values, or has it with another type")
    assert len(columns[2].pages) > 0


def test_names_that_are_not_utf8_are_read_with_replacements():
    data = parquet(pa.table({"aXb": [1]})).replace(b"aXb", b"a\xffb")
    assert pqexplore.open(data).schema.leaves[0].path == ("a\N{REPLACEMENT CHARACTER}b",)


MANY = parquet(pa.table({"a": range(300), "b": ["x"] * 300}), row_group_size=2)
"""150 row groups; with `LARGE` at 1, a large footer."""


def test_only_the_used_parts_of_a_large_footer_are_read(monkeypatch):
    whole = pqexplore.open(MANY)
    expected = [chunk.metadata for chunk in whole.row_groups[0].columns]
    monkeypatch.setattr(footers, "LARGE", 1)
    with pqexplore.open(MANY) as file:
        with monkeypatch.context() as patch:
            patch.setattr(footers.Footer, "complete", lambda self: pytest.fail("all was read"))
            assert (file.num_rows, len(file.row_groups)) == (300, 150)
            assert [leaf.path for leaf in file.schema.leaves] == [("a",), ("b",)]
            first = file.row_groups[0].columns
            assert [chunk.metadata for chunk in first] == expected
            assert first["a"].pages[1].values.to_pylist() == [0, 1]
            assert file.row_groups[60].num_rows == 2
        assert file.row_groups[149].columns["a"].struct == whole.row_groups[149].columns["a"].struct
        assert file.created_by == whole.created_by
        assert [list(some) for some in file.footer.chunk_offsets] == whole.footer.chunk_offsets
        assert file.schema.leaves[0].column_order == whole.schema.leaves[0].column_order
        assert file.layout().equals(whole.layout())
        assert file.read().equals(whole.read())
        assert file.check() == whole.check()


@pytest.fixture
def damaged(monkeypatch):
    """A file with a large footer, whose last row groups are overwritten there."""
    monkeypatch.setattr(footers, "LARGE", 1)
    at = len(MANY) - 8 - int.from_bytes(MANY[-8:-4], "little") // 5
    with pqexplore.open(MANY[:at] + b"\xff" * 40 + MANY[at + 40 :]) as file:
        yield file


def test_the_first_row_group_needs_only_the_beginning_of_the_footer(damaged):
    assert damaged.num_rows == 300
    assert damaged.row_groups[0].columns["a"].pages[1].values.to_pylist() == [0, 1]
    assert damaged.footer_damage is not None


def test_the_layout_of_a_file_with_a_damaged_large_footer_tiles_it(damaged):
    for level in ("chunks", "pages"):
        layout = damaged.layout(level)
        starts, ends = layout["start"].to_pylist(), layout["end"].to_pylist()
        assert (starts[0], ends[-1]) == (0, damaged.size)
        assert starts[1:] == ends[:-1]
    assert [finding.address for finding in damaged.findings if finding.severity.level == "error"]


def test_the_tree_and_the_checks_report_a_damaged_large_footer(damaged):
    assert damaged.root.state == "corrupt"
    assert [child.kind for child in damaged.root.children][:2] == ["magic", "footer"]
    [error] = [finding for finding in damaged.check() if finding.severity.level == "error"]
    assert (error.message, error.address) == (damaged.root.reason, "footer")
    assert "pqexplore.salvage" in error.message
    for _ in range(2):
        with pytest.raises(CorruptFileError, match="salvage") as caught:
            _ = damaged.created_by
        assert caught.value.address == "footer"
    assert "damaged footer" in repr(damaged) and "damaged footer" in damaged._repr_html_()
