"""Values as runs are the values: counted, looked up, and cut out without expanding them."""

import numpy as np
import pytest
from engine.hostile import forge
from hypothesis import given
from hypothesis import strategies as st

import pqexplore
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings import dictionary, rle
from pqexplore.engine.format.encodings.run_values import histogram

RUNS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 40)), max_size=12)


@given(RUNS, st.integers(1, 20), st.data())
def test_runs_hold_what_decode_gives(runs, minimum, data):
    given_values = [value for value, count in runs for _ in range(count)]
    encoded = rle.encode(np.array(given_values, np.uint8), 3, minimum_run=minimum)
    values = rle.decode(encoded, 3, len(given_values))
    found = rle.run_values(encoded, 3, len(given_values))
    assert len(found) == len(values)
    assert found.histogram(8).tolist() == np.bincount(values, minlength=8).tolist()
    assert histogram(values, 8).tolist() == found.histogram(8).tolist()
    sparse = found.histogram(4_000)  # far more counts than values
    assert (sparse[:8].tolist(), sparse[8:].any()) == (found.histogram(8).tolist(), False)
    start = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(start, len(values) + 3))
    assert found.part(start, stop).tolist() == values[start:stop].tolist()
    if start < len(values):
        assert found.at(start) == values[start]


@pytest.mark.parametrize(
    ("encoded", "width", "count"),
    [(b"", 0, 5), (b"\x0a", 0, 5), (b"\x03", 0, 5), (b"\x0a\x01\x03\x55", 1, 13)],
    ids=["no bits and no runs", "an RLE run without bits", "a packed run without bits", "both"],
)
def test_runs_of_few_bits(encoded, width, count):
    found = rle.run_values(encoded, width, count)
    assert found.part(0, count).tolist() == rle.decode(encoded, width, count).tolist()


def test_an_id_beyond_the_dictionary_is_the_same_error():
    data = b"\x02" + b"\x0a\x01" + b"\x04\x03"
    messages = []
    for read in (dictionary.decode_ids, dictionary.id_runs):
        with pytest.raises(CorruptFileError) as caught:
            read(data, 7, 2)
        messages.append(str(caught.value))
    assert messages[0] == messages[1] and "value 5 " in messages[0]


def test_parts_and_counts_of_a_long_page_are_those_of_the_whole(monkeypatch):
    data = forge.dictionary_run(count=1_000), forge.null_runs(count=1_000)
    for one, name in zip(data, ("values", "definition_levels"), strict=True):
        found = []
        for long in (1 << 20, 10):
            monkeypatch.setattr("pqexplore.engine.file.page.LONG", long)
            with pqexplore.open(one) as f:
                page = next(page for page in f.row_groups[0].columns[0].pages if page.is_data)
                assert isinstance(page, Page)
                if name == "values":
                    found.append((page.physical_part(3, 6), page.values_part(3, 6)))
                else:
                    found.append(page.level_counts(name).tolist())
                found.append([str(one) for one in f.check()])
        assert found[:2] == found[2:]
