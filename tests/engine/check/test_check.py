"""The check as a whole: it streams, counts, tells progress, and its addresses lead somewhere."""

import uuid
import zlib

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine import extension
from pqexplore.engine.check import check, verdict
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    LimitExceededError,
    UnsupportedFeatureError,
)
from pqexplore.engine.findings import failure
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


FAILURES = [
    (CorruptFileError("x"), ("unreadable", "error")),
    (EncryptedFileError("x"), ("locked", "note")),
    (UnsupportedFeatureError("x"), ("unsupported", "warning")),
    (LimitExceededError("x"), ("limit", "warning")),
]


@pytest.mark.parametrize(("error", "expected"), FAILURES)
def test_errors_become_findings(error, expected):
    error.offset = 7
    found = failure(error, "magic")
    assert (found.rule, found.severity) == expected
    assert (found.address, found.message, found.evidence) == ("magic", "x", {"offset": 7})


def test_a_limit_is_no_fault_of_the_file():
    data = forged.one_column([forged.page([1, 2, 3])])
    with pqexplore.open(data, limits=pqexplore.Limits(page_values=2)) as file:
        assert {(one.rule, one.severity) for one in check(file)} == {("limit", "warning")}


def test_leaves_that_tell_different_records():
    elements = [
        forged.root(),
        assembly.element("a", None, 1, num_children=2),
        assembly.element("b", Type.INT32, 0),
        assembly.element("c", Type.INT32, 0),
    ]

    def column(name, there):
        levels = assembly.levels_v2(forged.bits(there), 1)
        values = forged.encoded([7] * sum(there))
        count, nulls = len(there), len(there) - sum(there)
        page = assembly.page_v2(values, count, count, nulls, definition_levels=levels)
        return assembly.chunk(f"a.{name}", Type.INT32, [page])

    def file(first, second):
        group = assembly.row_group([column("b", first), column("c", second)], 2)
        return assembly.file(elements, [group], column_orders=[forged.TYPE_ORDER] * 2)

    assert forged.rules(file([1, 0], [1, 0])) == []
    assert forged.rules(file([1, 0], [0, 1])) == [("records-disagree", "error")]


ODD_FIELDS = [
    # A field 100 of type i32, and num_rows (3, an i64) stored as binary.
    (b"\x05\xc8\x01\x02\x00", ("field-unknown", "note")),
    (b"\x08\x06\x01x\x00", ("field-mistyped", "warning")),
]


@pytest.mark.parametrize(("tail", "expected"), ODD_FIELDS)
def test_fields_that_readers_skip(tail, expected):
    whole = forged.one_column([forged.page([1])])
    length = int.from_bytes(whole[-8:-4], "little")
    footer = whole[-8 - length : -9] + tail  # in place of the stop byte
    data = whole[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    assert expected in forged.rules(data)


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
