"""The check as a whole: order, progress, limits, addresses, extensions."""

import uuid
import zlib

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.check import repeats
from pqexplore.engine.check.file_check import check
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, LimitExceededError, UnsupportedFeatureError
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format import extension
from pqexplore.engine.format.thrift.structs import Statistics, Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.writer import assembly

WRONG = forged.one_column(
    [forged.page([1, 3], crc=1), forged.page([2])],
    metadata={"statistics": Statistics(min_value=forged.raw(2), max_value=forged.raw(1)), "path_in_schema": ["b"]},
    file={"num_rows": 9, "version": 7, "before_footer": bytes(9)},
    group={"ordinal": 5, "total_byte_size": 1, "file_offset": 1},
)


def test_every_finding_has_the_address_of_a_node():
    with pqexplore.open(WRONG) as file:
        for finding in file.check():
            assert file.node(finding.address).address == finding.address


def test_check_yields_the_first_finding_before_it_reads_on():
    with pqexplore.open(WRONG) as file:
        stream = check(file)
        assert next(stream).rule == "format-version"
        before = file.bytes_read
        list(stream)
        assert file.bytes_read > before


def test_progress_ascends_from_0_to_the_size():
    steps = []
    with pqexplore.open(WRONG) as file:
        list(check(file, lambda done, total: steps.append((done, total))))
        size = file.size
    done = [step[0] for step in steps]
    assert (done[0], done[-1]) == (0, size)
    assert done == sorted(done)
    assert len(done) > 3
    assert {step[1] for step in steps} == {size}


def test_findings_of_a_rule_beyond_the_maximum_are_counted(monkeypatch):
    monkeypatch.setattr(repeats, "MAX_OF_A_RULE", 2)
    many = [Finding("a", str(i), "", severity=Severity.DAMAGE) for i in range(5)]
    once = [Finding("int96-deprecated", str(i), "") for i in range(5)]
    listed = list(repeats.without_repeats([*many, *once]))
    assert [one.rule for one in listed] == ["a", "a", "int96-deprecated", "more-findings"]
    assert listed[-1].evidence == {"rule": "a", "findings": 5}


FAILURES = [
    (CorruptFileError("x"), ("unreadable", "error")),
    (EncryptedFileError("x"), ("locked", "note")),
    (UnsupportedFeatureError("x"), ("unsupported", "warning")),
    (LimitExceededError("x"), ("limit", "note")),
]


@pytest.mark.parametrize(("error", "expected"), FAILURES)
def test_error_as_a_finding_has_its_rule_severity_and_offset(error, expected):
    error.offset = 7
    found = failure(error, "magic")
    assert (found.rule, found.severity.level) == expected
    assert (found.address, found.message, found.evidence) == ("magic", "x", {"offset": 7})


def test_exceeded_limit_is_a_note():
    data = forged.one_column([forged.page([1, 2, 3])])
    with pqexplore.open(data, limits=pqexplore.Limits(page_values=2)) as file:
        assert {(one.rule, one.severity.level) for one in check(file)} == {("limit", "note")}


def test_leaves_that_disagree_about_records_are_an_error():
    elements = [
        forged.root(),
        assembly.element("a", None, 1, num_children=2),
        assembly.element("b", Type.INT32, 0),
        assembly.element("c", Type.INT32, 0),
    ]

    def column(name, present):
        levels = assembly.levels_v2(forged.bits(present), 1)
        values = forged.encoded([7] * sum(present))
        count, nulls = len(present), len(present) - sum(present)
        page = assembly.page_v2(values, count, count, nulls, definition_levels=levels)
        return assembly.chunk(f"a.{name}", Type.INT32, [page])

    def file(first, second):
        group = assembly.row_group([column("b", first), column("c", second)], 2)
        return assembly.file(elements, [group], column_orders=[forged.TYPE_ORDER] * 2)

    assert forged.rules(file([1, 0], [1, 0])) == []
    assert forged.rules(file([1, 0], [0, 1])) == [("records-disagree", "error")]


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
    (b"X" + TRAILER[1:], (IDENTITY, None, "the trailer stores the crc32 d9bbcbbf, the flatbuffer's 20 bytes have")),
    (TRAILER[4:], (IDENTITY, None, "the trailer declares a flatbuffer of 20 bytes")),
]


@pytest.mark.parametrize(("data", "expected"), EXTENSIONS)
def test_recognise_finds_uuid_flatbuffer_and_problem_of_an_extension(data, expected):
    found = extension.recognise(data)
    assert (found.identity, found.flatbuffer) == expected[:2]
    assert found.problem.startswith(expected[2])
    assert bool(found.problem) == bool(expected[2])


@pytest.mark.parametrize(("data", "severity"), [(TRAILER, "note"), (b"X" + TRAILER[1:], "warning")])
def test_extension_of_column_metadata_is_a_finding(data, severity):
    page = forged.page([1])
    column = assembly.chunk("a", Type.INT32, [page])
    column.metadata._extension = data
    elements = [forged.root(), assembly.element("a", Type.INT32, 0)]
    data_with_extension = assembly.file(elements, [assembly.row_group([column], 1)])
    (found,) = forged.findings(data_with_extension)
    assert (found.rule, found.severity.level) == ("extension", severity)
    assert found.address == "footer/row_groups/0/columns/0/meta_data/extension"
    assert str(IDENTITY) in found.message


def test_extension_of_a_page_header_is_a_finding():
    page = forged.page([1])
    page.header._extension = TRAILER
    (found,) = forged.findings(forged.one_column([page]))
    assert found.address == "row_groups/0/columns/0/pages/0/header/extension"
    assert "a flatbuffer of 20 bytes whose crc32 is right" in found.message
