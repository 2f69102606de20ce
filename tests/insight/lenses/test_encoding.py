"""The encoding lens: sentences with their figures, and steps, bits and sums of pages whose content is known."""

import numpy as np
import pyarrow as pa
import pytest
from made import open_sample

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encodings import rle
from pqexplore.engine.format.encodings.steps import Steps
from pqexplore.engine.format.explain import bits_text, varint_text, zigzag_text
from pqexplore.insight import wire
from pqexplore.insight.lenses import encoding
from pqexplore.insight.lenses.encoding import step_of


def opened(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**{"codec": "UNCOMPRESSED", **options}))
    return pqexplore.open(path)


def first_page(file, column=0):
    return next(page for page in file.row_groups[0].columns[column].pages if page.is_data)


@pytest.mark.parametrize(("raw", "text"), [
    (b"\x05", "varint 0x05 = 5"),
    (b"\x88\x02", "varint 0x88 0x02 = 8 + 2 × 2^7 = 264"),
    (b"\xff\xff\x03", "varint 0xff 0xff 0x03 = 127 + 127 × 2^7 + 3 × 2^14 = 65,535"),
])  # fmt: skip
def test_a_varint_is_written_as_a_sum(raw, text):
    assert varint_text(raw) == text


@pytest.mark.parametrize(("raw", "number"), [(b"\x00", 0), (b"\x01", -1), (b"\x02", 1), (b"\x87\x01", -68)])
def test_zigzag_is_undone(raw, number):
    found, text = zigzag_text(raw)
    assert found == number
    assert text.endswith(f"= {number:,}")


@pytest.mark.parametrize(("raw", "bit", "width", "order", "bits"), [
    (b"\x88\xc6\xfa", 0, 3, "lsb", "000"),  # the specification's example: 0 1 2 3 4 5 6 7
    (b"\x88\xc6\xfa", 6, 3, "lsb", "010"),
    (b"\x88\xc6\xfa", 21, 3, "lsb", "111"),
    (b"\x05\x39\x77", 0, 3, "msb", "000"),  # the same, most significant first
    (b"\x05\x39\x77", 6, 3, "msb", "010"),
    (b"\x05\x39\x77", 21, 3, "msb", "111"),
    (b"\x05", 3, 0, "lsb", ""),
])  # fmt: skip
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
def test_the_steps_are_those_of_trace(name):
    file = open_sample(name)
    seen = 0
    for chunk in file.row_groups[0].columns:
        for page in chunk.pages:
            for section in page.body.sections:
                steps = page.structure(section.name).steps
                rows = [(step.kind.name, step.start, step.end, step.first, step.count) for step in steps]
                assert rows == list(as_rows(page.trace(section.name)))
                seen += 1
    assert seen > 1


@pytest.mark.parametrize("kind", [pa.int32(), pa.int64()])
def test_differences_that_wrap_around_say_so(tmp_path, kind):
    low, high = (-(1 << 31), (1 << 31) - 1) if kind == pa.int32() else (-(1 << 63), (1 << 63) - 1)
    table = pa.table({"n": pa.array([low, high, low], kind)})
    page = first_page(opened(tmp_path, table, encoding="DELTA_BINARY_PACKED"))
    row = step_of(page, "values", value=1).rows[0]
    assert row.logical == str(high)
    assert f"wrapped to {kind.bit_width} bits" in row.how


def test_alp_vectors_and_exceptions():
    file = open_sample("alp")
    page = first_page(file)
    step = step_of(page, "values", value=7)
    assert step.rows[0].logical.lower() == "nan"
    assert step.rows[0].how.startswith("an exception: nan")
    usual = step_of(page, "values", value=0).rows[0]
    rest = int(usual.bits, 2)
    vector = page.structure().vectors[0]
    value = (rest + vector.frame_of_reference) * 10.0**vector.factor * 10.0**-vector.exponent
    assert value == pytest.approx(page.physical[0].as_py())


def test_bit_packed_levels_begin_with_the_most_significant_bit():
    page = first_page(open_sample("bit-packed-levels"))
    step = step_of(page, "definition_levels", value=0)
    assert step.parts[0].order == "msb"
    assert [row.bits for row in step.rows[:4]] == ["0", "1", "1", "0"]
    assert step.rows[0].logical == "n is null"
    assert "the deprecated BIT_PACKED" in encoding.answer_at(page, f"{page.address}/definition_levels").sentence


def test_every_value_of_every_sample_has_the_bits_that_it_needs():
    """The bits that are shown, read as a number, are the index, the level, the integer that was decoded."""
    for name in ("nested", "sorted-dictionary", "bit-packed-levels", "booleans"):
        for chunk in open_sample(name).row_groups[0].columns:
            for page in chunk.pages:
                for section in ("repetition_levels", "definition_levels"):
                    levels = getattr(page, section) if page.is_data else None
                    for i in range(0, 0 if levels is None else len(levels), 7):
                        row = step_of(page, section, value=i).rows[0]
                        assert int(row.value) == levels[i]
                ids = page.dictionary_ids
                for i in range(0, 0 if ids is None else len(ids), 7):
                    assert int(step_of(page, "values", value=i).rows[0].value) == ids[i]


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
