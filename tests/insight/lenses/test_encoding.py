"""The encoding lens: sentences with their figures, and steps, bits and sums of pages whose content is known."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import rle
from pqexplore.engine.format.encodings.steps import Steps
from pqexplore.engine.format.explain import bits_text, varint_text, zigzag_text
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import wire
from pqexplore.insight.lenses import encoding
from pqexplore.insight.lenses.encoding import step_of


def opened(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**{"codec": "UNCOMPRESSED", **options}))
    return pqexplore.open(path)


def first_page(file, column=0):
    return next(page for page in file.row_groups[0].columns[column].pages if page.is_data)


def sample(tmp_path, name):
    path = tmp_path / f"{name}.parquet"
    SAMPLES[name].write(path)
    return pqexplore.open(path)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\x05", "varint 0x05 = 5"),
        (b"\x88\x02", "varint 0x88 0x02 = 8 + 2 × 2^7 = 264"),
        (b"\xff\xff\x03", "varint 0xff 0xff 0x03 = 127 + 127 × 2^7 + 3 × 2^14 = 65,535"),
    ],
)
def test_a_varint_is_written_as_a_sum(raw, text):
    assert varint_text(raw) == text


@pytest.mark.parametrize(("raw", "number"), [(b"\x00", 0), (b"\x01", -1), (b"\x02", 1), (b"\x87\x01", -68)])
def test_zigzag_is_undone(raw, number):
    found, text = zigzag_text(raw)
    assert found == number
    assert text.endswith(f"= {number:,}")


@pytest.mark.parametrize(
    ("raw", "bit", "width", "order", "bits"),
    [
        (b"\x88\xc6\xfa", 0, 3, "lsb", "000"),  # the specification's example: 0 1 2 3 4 5 6 7
        (b"\x88\xc6\xfa", 6, 3, "lsb", "010"),
        (b"\x88\xc6\xfa", 21, 3, "lsb", "111"),
        (b"\x05\x39\x77", 0, 3, "msb", "000"),  # the same, most significant first
        (b"\x05\x39\x77", 6, 3, "msb", "010"),
        (b"\x05\x39\x77", 21, 3, "msb", "111"),
        (b"\x05", 3, 0, "lsb", ""),
    ],
)
def test_bits_are_read_in_both_orders(raw, bit, width, order, bits):
    assert bits_text(raw, bit, width, order) == bits


def as_rows(steps):
    """Steps of `trace` as rows; the streams of lengths by their parts."""
    for step in steps:
        if step.kind in ("lengths", "prefix lengths", "suffix lengths"):
            for part in step.parts:
                yield f"{step.kind}: {part.kind}", part.start, part.end, part.first, part.count
        else:
            yield step.kind, step.start, step.end, step.first, step.count


@pytest.mark.parametrize("name", ["alp", "booleans", "deltas", "dictionary-fallback", "bit-packed-levels", "nested"])
def test_the_steps_are_those_of_trace(tmp_path, name):
    file = sample(tmp_path, name)
    seen = 0
    for chunk in file.row_groups[0].columns:
        for page in chunk.pages:
            for section in page.body.sections:
                steps = page.structure(section.name).steps
                rows = [(step.kind.name, step.start, step.end, step.first, step.count) for step in steps]
                assert rows == list(as_rows(page.trace(section.name)))
                seen += 1
    assert seen > 1


def test_runs_are_counted_and_compared(tmp_path):
    ids = [3] * 100 + [0, 1, 2, 3, 4, 5, 6, 7] + [5] * 50
    table = pa.table({"n": pa.array([f"entry {i}" for i in ids])})
    page = first_page(opened(tmp_path, table, page_version=2))
    answer = encoding.answer_at(page, f"{page.address}/values")
    assert answer.sentence == (
        "158 indexes in 3 runs (2 RLE, 1 bit-packed), 3 bits each: 10 bytes instead of 1,738 in PLAIN."
    )
    kinds = {kind.name: (kind.steps, kind.bytes, kind.values) for kind in answer.picture.kinds}
    assert kinds == {
        "rle run": (2, 5, 150),
        "bit-packed run": (1, 4, 8),
        "implied zeros": (0, 0, 0),
        "bit width": (1, 1, 0),
    }


def test_a_run_explains_its_header_and_its_bits(tmp_path):
    values = [f"v{i % 8}" for i in range(264 * 8)]
    page = first_page(opened(tmp_path, pa.table({"n": values}), page_version=2))
    step = step_of(page, "values", value=10)
    header, packed = step.parts
    assert header.says[0] == "varint 0x91 0x04 = 17 + 4 × 2^7 = 529"
    assert header.says[1] == "529 is odd: bit-packed; 529 >> 1 = 264 groups of 8 values"
    assert [group.label for group in header.groups] == ["1: bit-packed", "groups", "more follow", "groups", "the last"]
    row = step.rows[0]
    assert (row.index, row.bits, row.how, row.logical) == (10, "010", "010 = 2", "v2")
    assert row.entry == "row_groups/0/columns/0/pages/0/values/2"
    start, end, label, role, value = dataclasses.astuple(packed.groups[0])
    assert (label, role, value, end - start) == ("2", "value", 10, 3)
    byte = packed.at - page.body.section("values").span.start
    assert bits_text(bytes(page.body.section("values").data), 8 * byte + start, 3) == "010"


def test_a_long_run_is_one_value(tmp_path):
    page = first_page(opened(tmp_path, pa.table({"n": ["x"] * 132}), page_version=2))
    step = step_of(page, "values", value=131)
    assert step.label == "132 × 0"
    assert step.parts[0].says[1] == "264 is even: an RLE run; 264 >> 1 = 132 times the same value"
    assert step.rows[0].logical == "x"


def test_a_difference_is_explained_as_a_sum(tmp_path):
    numbers = [100, 107, 117, 120, 121, 200]
    table = pa.table({"n": pa.array(numbers, pa.int64())})
    page = first_page(opened(tmp_path, table, encoding="DELTA_BINARY_PACKED"))
    answer = encoding.answer_at(page, f"{page.address}/values/3")
    assert answer.sentence.startswith("Value 3 is in step 2, block 0: 5 differences")
    assert "In all: 6 values as differences in 1 block of 128, 7 bits each: " in answer.sentence
    row = answer.picture.step.rows[0]
    assert row.how == "0000010 = 2; 117 + 1 + 2 = 120"
    assert [step_of(page, "values", value=i).rows[0].logical for i in range(6)] == [str(n) for n in numbers]


@pytest.mark.parametrize("kind", [pa.int32(), pa.int64()])
def test_differences_that_wrap_around_say_so(tmp_path, kind):
    low, high = (-(1 << 31), (1 << 31) - 1) if kind == pa.int32() else (-(1 << 63), (1 << 63) - 1)
    table = pa.table({"n": pa.array([low, high, low], kind)})
    page = first_page(opened(tmp_path, table, encoding="DELTA_BINARY_PACKED"))
    row = step_of(page, "values", value=1).rows[0]
    assert row.logical == str(high)
    assert f"wrapped to {kind.bit_width} bits" in row.how


def test_prefixes_and_suffixes(tmp_path):
    names = ["sensor-001", "sensor-002", "sensor-0021", "x"]
    page = first_page(opened(tmp_path, pa.table({"n": names}), encoding="DELTA_BYTE_ARRAY"))
    answer = encoding.answer_at(page, f"{page.address}/values/2")
    assert "In all: 4 values, which repeat 19 bytes of the value before and have 13 of their own;" in answer.sentence
    step = answer.picture.step
    assert step.label == "10 from the value before, 1 of its own"
    assert bytes(step.parts[0].shown) == b"1"
    assert step.rows[0].logical == "sensor-0021"


def test_plain_byte_arrays_have_a_length_in_front(tmp_path):
    page = first_page(opened(tmp_path, pa.table({"n": ["abc", "", "de"]}), encoding="PLAIN"))
    step = step_of(page, "values", value=2)
    length, body = step.parts
    assert length.says == ["02 00 00 00, lowest byte first = 2"]
    assert (bytes(body.shown), body.form) == (b"de", "text")
    assert (length.end, body.end - body.start) == (body.start, 2)


def test_a_double_is_sign_exponent_and_fraction(tmp_path):
    page = first_page(opened(tmp_path, pa.table({"n": [-6.5]}), encoding="PLAIN"))
    step = step_of(page, "values", value=0)
    assert [group.label for group in step.parts[0].groups] == ["fraction", "exponent", "sign"]
    assert "sign −, exponent 1,025 − 1,023 = 2" in step.parts[0].says[0]


def test_byte_planes(tmp_path):
    table = pa.table({"n": pa.array([1, 2, 258], pa.int32())})
    page = first_page(opened(tmp_path, table, encoding="BYTE_STREAM_SPLIT"))
    step = step_of(page, "values", value=2)
    base = page.body.section("values").span.start
    assert step.parts[0].shown == [2, 1, 0, 0]
    assert [place - base for place in step.parts[0].places] == [2, 5, 8, 11]
    strip = encoding.answer_at(page, f"{page.address}/values").picture.bytes
    assert (strip.start, strip.end) == ([0, 3, 6, 9], [3, 6, 9, 12])


def test_alp_vectors_and_exceptions(tmp_path):
    file = sample(tmp_path, "alp")
    page = first_page(file)
    step = step_of(page, "values", value=7)
    assert step.rows[0].logical.lower() == "nan"
    assert step.rows[0].how.startswith("an exception: nan")
    usual = step_of(page, "values", value=0).rows[0]
    rest = int(usual.bits, 2)
    vector = page.structure().vectors[0]
    value = (rest + vector.frame_of_reference) * 10.0**vector.factor * 10.0**-vector.exponent
    assert value == pytest.approx(page.physical[0].as_py())


def test_bit_packed_levels_begin_with_the_most_significant_bit(tmp_path):
    page = first_page(sample(tmp_path, "bit-packed-levels"))
    step = step_of(page, "definition_levels", value=0)
    assert step.parts[0].order == "msb"
    assert [row.bits for row in step.rows[:4]] == ["0", "1", "1", "0"]
    assert step.rows[0].logical == "n is null"
    assert "the deprecated BIT_PACKED" in encoding.answer_at(page, f"{page.address}/definition_levels").sentence


def test_every_value_of_every_sample_has_the_bits_that_it_needs(tmp_path):
    """The bits that are shown, read as a number, are the index, the level, the integer that was decoded."""
    for name in ("nested", "sorted-dictionary", "bit-packed-levels", "booleans"):
        for chunk in sample(tmp_path, name).row_groups[0].columns:
            for page in chunk.pages:
                for section in ("repetition_levels", "definition_levels"):
                    levels = getattr(page, section) if page.is_data else None
                    for i in range(0, 0 if levels is None else len(levels), 7):
                        row = step_of(page, section, value=i).rows[0]
                        assert int(row.value) == levels[i]
                ids = page.dictionary_ids
                for i in range(0, 0 if ids is None else len(ids), 7):
                    assert int(step_of(page, "values", value=i).rows[0].value) == ids[i]


def test_what_has_no_bytes_says_why(tmp_path):
    table = pa.table({"n": pa.array([None, None, None], pa.int64())})
    page = first_page(opened(tmp_path, table, encoding="PLAIN"))
    answer = encoding.answer_at(page, f"{page.address}/values")
    assert answer.sentence == "All 3 entries of this page are null or empty: no value is stored."
    assert answer.picture is None
    assert answer.empty == "There are no bytes to take apart."


def test_a_column_without_levels_says_so(tmp_path):
    table = pa.table({"n": [1, 2]}, schema=pa.schema([pa.field("n", pa.int64(), nullable=False)]))
    page = first_page(opened(tmp_path, table))
    answer = encoding.answer_at(page, f"{page.address}/definition_levels")
    assert answer.sentence == "The column has no definition levels: their maximum is 0."


def test_steps_are_found_by_value_and_by_byte():
    values = np.array([1] * 20 + [0, 1] * 4 + [0] * 30, np.uint8)
    raw = rle.encode(values, 1)
    steps = Steps()
    assert steps.of_value(0) is None and steps.at_byte(3) == 0
    runs = rle.scan(raw, 1, len(values))
    assert [runs.steps.of_value(i) for i in (0, 19, 27, 57, 58)] == [0, 0, 1, 2, None]
    assert [runs.steps.at_byte(i) for i in range(len(raw))] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("asked", [{"step": 99}, {"step": -1}, {"value": 10_000}, {}])
def test_a_step_that_does_not_exist_is_a_usage_error(tmp_path, asked):
    page = first_page(opened(tmp_path, pa.table({"n": ["a", "b"]})))
    with pytest.raises(UsageError, match="there is no such step"):
        step_of(page, "values", **asked)


def test_two_values_of_a_section_have_the_same_picture_but_for_the_step(tmp_path):
    page = first_page(opened(tmp_path, pa.table({"n": [1, 2, 3]}), encoding="PLAIN"))
    first, last = (encoding.answer_at(page, f"{page.address}/values/{i}").picture for i in (0, 2))
    assert (first.step.number, last.step.number) == (0, 2)
    assert first.kinds is last.kinds
    assert wire.encode(last) | {"step": None} == wire.encode(first) | {"step": None}
