"""The check as a whole: it streams, counts, tells progress, and its addresses lead somewhere."""

import uuid
import zlib

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine import extension
from pqexplore.engine.check import check, verdict
from pqexplore.engine.thrift.structs import Statistics, Type
from pqexplore.engine.tree import Finding
from pqexplore.engine.writer import assembly

WRONG = forged.one_column(
    [forged.page([1, 3], crc=1), forged.page([2])],
    metadata={"statistics": Statistics(min_value=forged.raw(2)), "path_in_schema": ["b"]},
    file={"num_rows": 9, "version": 7, "before_footer": bytes(9)},
    group={"ordinal": 5, "total_byte_size": 1, "file_offset": 1},
)


def test_a_file_that_is_wrong_in_many_places_is_checked_in_all():
    assert {rule for rule, _ in forged.rules(WRONG)} == {
        "format-version",
        "row-count-disagrees",
        "row-group-ordinal",
        "row-group-size-disagrees",
        "row-group-file-offset",
        "path-disagrees",
        "crc-mismatch",
        "statistics-bound",
        "gap",
    }


def test_every_address_is_a_node_of_the_tree():
    with pqexplore.open(WRONG) as file:
        for finding in file.check():
            assert file.node(finding.address).address == finding.address


def test_the_check_is_a_stream():
    with pqexplore.open(WRONG) as file:
        found = check(file)
        assert next(found).rule == "format-version"
        before = file.bytes_read
        list(found)
        assert file.bytes_read > before


def test_bytes_with_two_owners_are_part_of_the_stream():
    data = forged.one_column([forged.page([1])], column_index_offset=10, column_index_length=9)
    with pqexplore.open(data) as file:
        assert "overlap" in {finding.rule for finding in check(file)}


def test_progress_goes_from_nothing_to_everything():
    steps = []
    with pqexplore.open(WRONG) as file:
        list(check(file, lambda done, total: steps.append((done, total))))
        size = file.size
    done = [step[0] for step in steps]
    assert (done[0], done[-1]) == (0, size)
    assert done == sorted(done)
    assert len(done) > 3
    assert {step[1] for step in steps} == {size}


def test_a_rule_is_told_so_many_times_and_then_counted(monkeypatch):
    monkeypatch.setattr(verdict, "MOST_OF_A_RULE", 2)
    many = [Finding("a", "error", str(i), "") for i in range(5)]
    once = [Finding("int96-deprecated", "note", str(i), "") for i in range(5)]
    told = list(verdict.measured([*many, *once]))
    assert [one.rule for one in told] == ["a", "a", "int96-deprecated", "more-findings"]
    assert told[-1].evidence == {"rule": "a", "findings": 5}


# Field 32767.

IDENTITY = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


def with_trailer(flatbuffer, identity=IDENTITY):
    """The container that the specification draws under "Binary Protocol Extensions"."""
    size = len(flatbuffer).to_bytes(4, "little")
    crcs = [zlib.crc32(part).to_bytes(4, "little") for part in (flatbuffer, size)]
    return flatbuffer + crcs[0] + size + crcs[1] + identity.bytes


TRAILER = with_trailer(b"flat" * 5)
EXTENSIONS = [
    (b"", (None, None, "")),
    (b"vendor" + IDENTITY.bytes, (IDENTITY, None, "")),
    (b"no uuid at the end, but more than 16 bytes\0\0\0\0\0\0\0\0\0\0", (None, None, "")),
    (TRAILER, (IDENTITY, 20, "")),
    (b"before" + TRAILER, (IDENTITY, 20, "")),
    (b"X" + TRAILER[1:], (IDENTITY, None, "the crc32 of the flatbuffer's 20 bytes is not")),
    (TRAILER[4:], (IDENTITY, None, "the flatbuffer is said to have 20 bytes")),
]


@pytest.mark.parametrize(("data", "expected"), EXTENSIONS)
def test_an_extension_shows_what_it_is(data, expected):
    found = extension.recognise(data)
    assert (found.identity, found.flatbuffer) == expected[:2]
    assert found.problem.startswith(expected[2])
    assert bool(found.problem) == bool(expected[2])


@pytest.mark.parametrize(("data", "severity"), [(TRAILER, "note"), (b"X" + TRAILER[1:], "warning")])
def test_extensions_are_told_wherever_they_are(data, severity):
    page = forged.page([1])
    column = assembly.chunk("a", Type.INT32, [page])
    column.metadata._extension = data
    elements = [forged.root(), assembly.element("a", Type.INT32, 0)]
    made = assembly.file(elements, [assembly.row_group([column], 1)])
    (found,) = forged.findings(made)
    assert (found.rule, found.severity) == ("extension", severity)
    assert found.address == "footer/row_groups/0/columns/0/meta_data/extension"
    assert str(IDENTITY) in found.message


def test_an_extension_of_a_page_header():
    page = forged.page([1])
    page.header._extension = TRAILER
    (found,) = forged.findings(forged.one_column([page]))
    assert found.address == "row_groups/0/columns/0/pages/0/header/extension"
    assert "a flatbuffer of 20 bytes whose crc32 is right" in found.message
