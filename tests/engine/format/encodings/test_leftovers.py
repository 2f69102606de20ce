"""Every byte of a section belongs to a step, or is a leftover: bytes after the values change none of them."""

import numpy as np
import pyarrow as pa
import pytest
from engine.format.encodings.test_every_encoding import CASES, LENGTH, VALUES, listed
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.encodings import alp, bit_packed, dictionary, plain, rle, run_steps
from pqexplore.engine.format.encodings.encoding import whole
from pqexplore.engine.format.encodings.steps import LEFTOVER
from pqexplore.engine.format.thrift.structs import Encoding, Type

LEVELS = st.lists(st.integers(0, 3), max_size=40)


def assert_tiled(structure, section, before):
    """The steps of a section tile it; those after byte `before` are leftovers."""
    kind, start, end, _, _ = structure.steps.table
    kinds = [structure.steps.kinds[one] for one in kind]
    values = sum(one is LEFTOVER for one in kinds)
    owned = np.zeros(len(section), int)
    for one, low, high in zip(kinds, start, end, strict=True):
        assert (one is LEFTOVER) == (low >= before and high > low)
        owned[low:high] += 1
    assert owned.all() and (owned[before:] == 1).all()
    assert structure.leftovers(len(section)) == ([(before, len(section))] if values else [])


def planted(scan, section, extra):
    """The structure of a section with bytes after it."""
    structure = whole(scan(section + extra), section + extra)
    assert_tiled(structure, section + extra, len(section))
    last = list(structure.trace())[-1:]
    assert [step.kind for step in last if step.kind == "leftover"] == ["leftover"] * bool(extra)
    if extra:
        index = len(structure.steps) - 1
        assert structure.label(index).endswith("left over")
        [part], rows = structure.explain(index, range(0))
        assert (bytes(part.shown), rows) == (extra[:32], [])
    return structure


@pytest.mark.parametrize(("encoding", "physical"), CASES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_bytes_after_the_values_are_leftovers(encoding, physical, data):
    values = data.draw(st.lists(VALUES[physical], max_size=40))
    extra = data.draw(st.binary(max_size=40))
    section = encoding.encode(pa.array(values, plain.storage_type(physical, LENGTH)))

    def scan(raw):
        return encoding.scan(raw, len(values), physical, LENGTH)

    if encoding.number == Encoding.BYTE_STREAM_SPLIT and extra:
        with pytest.raises(CorruptFileError, match="split into streams take"):
            scan(section + extra)
        return
    structure = planted(scan, section, extra)
    assert listed(structure.values) == listed(values)


@settings(max_examples=40, deadline=None)
@given(LEVELS, st.binary(max_size=20), st.binary(max_size=20))
def test_bytes_after_the_runs_are_leftovers(levels, extra, more):
    count, runs = len(levels), rle.encode(levels, 2) if levels else b""

    def prefixed(raw):
        return rle.scan(raw, 2, count, prefix=run_steps.LENGTH)

    stored = (len(runs) + len(extra)).to_bytes(4, "little") + runs
    for found in (
        planted(lambda raw: rle.scan(raw, 2, count), runs, extra),
        planted(prefixed, stored, extra),  # inside the length
        planted(prefixed, stored, extra + more),  # and after it
        planted(lambda raw: bit_packed.scan(raw, 2, count), bit_packed.encode(levels, 2), extra),
        planted(lambda raw: dictionary.scan(raw, count), b"\x02" + runs, extra),
    ):
        assert list(found.values) == levels


# bytes | bit width | wanted | the leftovers | values of the last run that are left over
ENDS = [
    ("03 88c6fa", 3, 8, [], 0),
    ("03 88c6fa", 3, 1, [], 0),  # padded to a group of eight
    ("05 88c6fa 88c6fa", 3, 9, [], 0),
    ("05 88c6fa 88c6fa", 3, 8, [(4, 7)], 8),  # a group that no value needs
    ("07 88c6fa 88c6fa 88c6fa", 3, 3, [(4, 10)], 16),
    ("05 88c6fa 88c6", 3, 8, [(4, 6)], 8),  # of which a part is stored
    ("05 88c6fa 88c6fa 01", 3, 8, [(4, 7), (7, 8)], 8),
    ("05 88c6fa 88", 3, 10, [], 0),  # the padding of the last group is not stored
    ("10 05", 3, 8, [], 0),
    ("10 05", 3, 5, [], 3),
    ("10 05 10 05", 3, 8, [(2, 4)], 0),  # a run that no value needs
    ("06 05 03 88c6fa", 3, 5, [], 0),
    ("06 05 05 88c6fa 88c6fa", 3, 5, [(6, 9)], 8),
    ("03", 0, 3, [], 0),
    ("05", 0, 3, [], 8),
]


@pytest.mark.parametrize(("stream", "width", "count", "leftovers", "spare"), ENDS)
def test_where_runs_end(stream, width, count, leftovers, spare):
    raw = bytes.fromhex(stream)
    found = whole(rle.scan(raw, width, count), raw)
    assert (found.error, found.leftovers(len(raw))) == (None, leftovers)
    assert found.end == (leftovers[0][0] if leftovers else len(raw))
    assert [fault.evidence["leftover"] for fault in found.faults()] == [spare] * bool(spare)
    assert found.values.tolist() == rle.decode(raw, width, count).tolist()


def test_a_run_says_which_groups_are_padding_and_which_are_left_over():
    run = rle.scan(bytes.fromhex("07 88c6fa 88c6fa 88c6fa"), 3, 3)
    parts, _ = run.explain(0, range(3))
    assert parts[0].says[1].endswith("3 groups of 8 values; the last 5 of 8 are padding; 2 groups are left over")
    assert parts[1].says[0].startswith("1 × 8 × 3 bits = 3 bytes;")
    parts, _ = rle.scan(bytes.fromhex("03 88c6fa"), 3, 3).explain(0, range(3))
    assert parts[0].says[1].endswith("1 group of 8 values; the last 5 of 8 are padding")


def test_a_bit_width_without_indexes_is_no_leftover():
    for raw, left in ((b"", []), (b"\0", []), (b"\x20", []), (b"\x02\x03", [(1, 2)]), (b"\xff", [(0, 1)])):
        found = whole(dictionary.scan(raw, 0), raw)
        assert found.leftovers(len(raw)) == left
        assert len(found.values) == 0


def test_bytes_between_alp_vectors_are_leftovers():
    section = alp.encode(pa.array([1.5, 2.5] * 8), 3)
    head, offsets = section[:7], np.frombuffer(section, "<u4", 2, 7)
    first, second = section[15 : 7 + offsets[1]], section[7 + offsets[1] :]
    moved = (offsets + np.array([2, 5], "<u4")).tobytes()
    raw = head + moved + b"ab" + first + b"cde" + second + b"f"
    found = whole(alp.scan(raw, 16, Type.DOUBLE), raw)
    assert [raw[start:end] for start, end in found.leftovers(len(raw))] == [b"ab", b"cde", b"f"]
    assert found.values.to_pylist() == [1.5, 2.5] * 8
    assert alp.scan(section, 16, Type.DOUBLE).leftovers(len(section)) == []
