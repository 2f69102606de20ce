"""What a click on one value costs: the files of code that it goes through, and how often its section is read."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.format.encodings import delta_stream
from pqexplore.insight.lenses import encoding

PAGE = "row_groups/0/columns/0/pages/2"
VALUE = f"{PAGE}/values/17"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Delta-encoded integers, in pages of 3,000."""
    steps = np.random.default_rng(1).integers(0, 50, 30_000)
    table = pa.table({"n": pa.array(np.cumsum(steps))})
    path = tmp_path_factory.mktemp("click") / "deltas.parquet"
    options = pqexplore.WriteOptions(encoding="DELTA_BINARY_PACKED", page_rows=3000)
    pqexplore.write(table, path, options)
    return path


def click(file):
    node = file.node(VALUE)
    assert list(node.facts)
    assert encoding.answer(file, node).sentence
    assert encoding.derive(file, VALUE, value=17).rows


def entered(run):
    """The source files of pqexplore whose functions are called, and how often each function of `delta_stream` is."""
    files, calls = set(), {}

    def seen(frame, event, _):
        if event == "call" and "/pqexplore/" in frame.f_code.co_filename:
            file = frame.f_code.co_filename.rsplit("/pqexplore/", 1)[1]
            files.add(file)
            calls[frame.f_code.co_name] = calls.get(frame.f_code.co_name, 0) + 1

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(before)
    return files, calls


def test_a_click_on_a_delta_value_scans_once_decodes_once_and_enters_few_files(path):
    with pqexplore.open(path) as warm:  # imports
        click(warm)
    with pqexplore.open(path) as file:
        page = file.node(PAGE)  # one clicks on what is shown
        assert list(page.facts) and [list(child.facts) for child in page.children]
        files, calls = entered(lambda: click(file))
        assert calls[delta_stream.find_blocks.__name__] == 1
        assert calls[delta_stream.values_of.__name__] == 1
        assert len(files) <= 36, sorted(files)
        files, calls = entered(lambda: click(file))
        assert delta_stream.find_blocks.__name__ not in calls
        assert delta_stream.values_of.__name__ not in calls
