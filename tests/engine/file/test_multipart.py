"""Several ranges in one answer: what is read of it, and what a server may do instead."""

import numpy as np
import pytest
from engine.file.web import serving

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file import http_file
from pqexplore.engine.file.http_file import NotMultipart, groups, parse, pick
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.source import Source

KIND = "multipart/byteranges; boundary=b"
TWO = b"--b\r\nContent-Range: bytes 0-2/100\r\n\r\nabc\r\n--b\r\nContent-Range: bytes 50-51/100\r\n\r\nde\r\n--b--"

# Content-Type | body | parts
SOUND = [
    (KIND, TWO, [(0, b"abc"), (50, b"de")]),
    ('Multipart/ByteRanges;charset=x; boundary="b"', TWO, [(0, b"abc"), (50, b"de")]),
    (KIND, b"\r\n" + TWO + b"\r\nepilogue", [(0, b"abc"), (50, b"de")]),
    (KIND, b"a preamble\r\n" + TWO, [(0, b"abc"), (50, b"de")]),
    (KIND, TWO.replace(b"Content-R", b"content-type: a/b\r\ncontent-r"), [(0, b"abc"), (50, b"de")]),
    (KIND, TWO.replace(b"abc", b"--b"), [(0, b"--b"), (50, b"de")]),  # the boundary in the data
    (KIND, b"--b--", []),
]


@pytest.mark.parametrize(("kind", "body", "parts"), SOUND)
def test_the_parts_are_read(kind, body, parts):
    assert [(start, bytes(data)) for start, data in parse(kind, body, 100)] == parts


# what is wrong | Content-Type | body
WRONG = [
    ("not multipart", "text/plain; boundary=b", TWO),
    ("no boundary", "multipart/byteranges", TWO),
    ("a boundary of more than 70 characters", "multipart/byteranges; boundary=" + "b" * 71, TWO),
    ("another boundary", "multipart/byteranges; boundary=c", TWO),
    ("no end", KIND, TWO.removesuffix(b"--b--")),
    ("nothing", KIND, b""),
    ("a part longer than the answer", KIND, TWO.replace(b"0-2", b"0-90")),
    ("a part shorter than it says", KIND, TWO.replace(b"0-2", b"0-3")),
    ("a part longer than it says", KIND, TWO.replace(b"0-2", b"0-1")),
    ("line breaks without CR", KIND, TWO.replace(b"\r\n", b"\n")),
    ("a range that ends before it begins", KIND, TWO.replace(b"50-51", b"51-50")),
    ("a range outside the file", KIND, TWO.replace(b"50-51", b"99-100")),
    ("another size", KIND, TWO.replace(b"51/100", b"51/101")),
    ("no size", KIND, TWO.replace(b"51/100", b"51/*")),
    ("no range", KIND, TWO.replace(b"Content-Range", b"Content-Type")),
    ("two ranges", KIND, TWO.replace(b"\r\n\r\nde", b"\r\nContent-Range: bytes 1-2/100\r\n\r\nde")),
    ("a long header", KIND, TWO.replace(b"--b\r\n", b"--b\r\nX: " + b"x" * 2000 + b"\r\n", 1)),
    ("a long preamble", KIND, b"x" * 2000 + b"\r\n" + TWO),
    ("a number too large", KIND, TWO.replace(b"0-2", b"0-" + b"9" * 30)),
]


@pytest.mark.parametrize(("kind", "body"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_no_answer_is_not_read(kind, body):
    with pytest.raises(NotMultipart):
        parse(kind, body, 100)


def test_a_range_is_taken_of_the_part_that_holds_it():
    parts = [(50, memoryview(b"defgh")), (0, memoryview(b"abc")), (50, memoryview(b"de"))]
    assert [bytes(one) for one in pick(parts, [(1, 2), (52, 3), (50, 1)])] == [b"bc", b"fgh", b"d"]
    for missing in ((2, 2), (40, 1), (54, 2)):
        with pytest.raises(NotMultipart):
            pick(parts, [(0, 1), missing])


def test_a_request_is_bounded():
    many = [(place * 100, 10) for place in range(500)]
    assert [len(group) for group in groups(many)] == [200, 200, 100]
    large = [(0, http_file.MAX_BYTES - 5), (1 << 30, 5), (1 << 31, 1), (1 << 32, 1 << 22)]
    assert groups(large) == [large[:2], large[2:3], large[3:]]
    longest = [((1 << 59) + place, 1) for place in range(http_file.MAX_RANGES)]
    assert len("Range: bytes=" + http_file.header(longest)) < 8190  # Apache's LimitRequestFieldSize


DATA = np.random.default_rng(11).bytes(1 << 20)
FAR = [(100_000 + place * 20_000, 100) for place in range(40)]

# what the server does | requests for two times forty ranges, from a server that was not asked before
SERVERS = [
    ("ranges", 2),
    ("reordered", 2),
    ("many_whole", 81),
    ("many_refused", 81),
    ("many_forbidden", 81),
    ("many_unsatisfied", 81),
    ("many_first", 81),
    ("many_missing", 81),
    ("many_too_much", 81),
    ("coalesced", 81),  # here it is too much, too
]


def read(source, ranges=FAR):
    with source.expecting(ranges):
        return [bytes(source.read(*one)) for one in ranges]


@pytest.mark.parametrize(("how", "requests"), SERVERS)
def test_forty_ranges_are_read_as_the_server_gives_them(how, requests):
    with serving(DATA) as server:
        sources = [open_source(server.url(f"{how}/{name}")) for name in "xy"]
        opened = len(server.seen)
        for source in sources:  # what one file of a server shows holds for the next
            before = source.bytes_read
            assert read(source) == [DATA[start : start + length] for start, length in FAR]
            assert source.bytes_read - before == sum(length for _, length in FAR)
        assert len(server.seen) - opened == requests


def test_ranges_that_come_as_one_part_are_taken_out_of_it():
    near = [(100_000, 2000), (103_000, 2000)]
    with serving(DATA) as server:
        source = open_source(server.url("coalesced/x"))
        found = source._read_many(near)
        assert [bytes(one) for one in found] == [DATA[s : s + n] for s, n in near]
        assert [headers["Range"] for _, headers in server.seen[1:]] == ["bytes=100000-101999,103000-104999"]


def test_a_server_that_closes_the_connection_is_asked_range_by_range():
    with serving(DATA) as server:
        source = open_source(server.url("many_dropped/x"))
        assert read(source) == [DATA[start : start + length] for start, length in FAR]
        assert source.retries == 0


@pytest.mark.parametrize("change", ["tag", "data"])
def test_a_file_that_changes_says_nothing_about_its_server(change):
    with serving(DATA) as server:
        changed = open_source(server.url("ranges/x"))
        setattr(server, change, '"2"' if change == "tag" else DATA + b"more")
        with pytest.raises(CorruptFileError, match="changed while it was open"):
            read(changed)
        source = open_source(server.url("ranges/y"))
        assert read(source) == [DATA[start : start + length] for start, length in FAR]
        assert [path for path, _ in server.seen].count("/ranges/y") == 2


def test_a_server_that_refuses_everything_says_nothing_about_several_ranges():
    with serving(DATA) as server:
        source = open_source(server.url("ranges/x"))
        server.refuses = True
        with pytest.raises(PermissionError):
            read(source)
        assert f"127.0.0.1:{server.port}" not in http_file._ONE_RANGE


def test_a_thread_goes_on_if_another_finds_that_the_store_gives_one_range(monkeypatch):
    source = Source(
        "store", len(DATA), lambda start, length: DATA[start : start + length], local=False, fetch_many=lambda _: None
    )

    def found_meanwhile(ranges):
        source._fetch_many = None
        return groups(ranges)

    monkeypatch.setattr(http_file, "groups", found_meanwhile)
    assert read(source) == [DATA[start : start + length] for start, length in FAR]
