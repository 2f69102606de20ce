"""The look at all bytes: a slice for each request, clicks between slices, a stop, and at the end what a diagnosis says."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import rebuilt

import pqexplore
from pqexplore.insight.doctor import diagnose, verdict
from pqexplore.insight.steps import finish
from pqexplore.widget import look
from pqexplore.widget.headline import headline

ROWS = 80_000
BOUNDS = "row_groups__0__columns__{}__meta_data__statistics__{}"


def with_max(data, column, value):
    """The file with another maximum of a column."""
    return rebuilt(data, **{BOUNDS.format(column, name): value.to_bytes(8, "little") for name in ("max", "max_value")})


@pytest.fixture(scope="module")
def large():
    """So many pages that a first look has a part of them only; the maximum of `b` leaves out a value in one of the others."""
    out = io.BytesIO()
    b = np.zeros(ROWS, np.int64)
    b[50_123] = 9
    options = {"data_page_size": 64, "write_batch_size": 100, "use_dictionary": False, "compression": "none"}
    pq.write_table(pa.table({"a": np.arange(ROWS), "b": b}), out, row_group_size=ROWS, **options)
    return with_max(out.getvalue(), 1, 0)


@pytest.fixture
def explorer(large):
    made = pqexplore.explore(large)
    yield made
    made.file.close()


def asked(explorer, op, **args):
    """What Python replies to a request of a view."""
    sent = []
    explorer.send = lambda content, buffers=None: sent.append(content)
    explorer._handle_custom_msg({"kind": "request", "id": 1, "op": op, "args": args}, [])
    return sent[-1]["result"]


def header(explorer):
    return finish(headline(explorer.file)).sentence


@pytest.fixture
def tiny_slices(monkeypatch):
    """A slice is one step, however fast the machine is."""
    monkeypatch.setattr(look, "SLICE", 0.0)


def test_it_goes_on_in_slices_and_says_how_far_it_is(explorer, tiny_slices):
    first = header(explorer)
    assert "of the file, data page" not in first
    slices = [asked(explorer, "look") for _ in range(50)]
    assert not any(one["whole"] for one in slices)
    done = [one["done"] for one in slices]
    assert done == sorted(done) and 0 < done[-1] < 1
    assert header(explorer) == first


def test_a_click_between_slices_is_answered(explorer, tiny_slices):
    header(explorer)
    places = ["", "row_groups/0", "row_groups/0/columns/1", "row_groups/0/columns/0/pages/3", "footer"]
    for address in places:
        asked(explorer, "look")
        assert asked(explorer, "node", address=address)["address"] == address
    assert not asked(explorer, "look")["whole"]


def test_who_stops_asking_stops_it_and_may_go_on_later(explorer, tiny_slices):
    before = [asked(explorer, "look")["done"] for _ in range(20)][-1]
    explorer.file.read(columns=["a"])  # nobody asks
    assert asked(explorer, "look")["done"] >= before


def whole(explorer):
    """Looks until all is looked at: the last reply."""
    for _ in range(100_000):
        made = asked(explorer, "look")
        if made["whole"]:
            return made
    raise AssertionError("it does not end")


def test_at_its_end_the_header_says_what_a_diagnosis_says(explorer, large):
    header(explorer)
    assert whole(explorer)["findings"] >= 1
    report = pqexplore.diagnose(large, "data")
    assert [one.rule for one in report.findings][0] == "statistics-bound"
    assert header(explorer) == verdict.headline(report.findings[0])
    assert diagnose.kept(explorer.file).findings == report.findings
    assert diagnose.kept(explorer.file).looked == report.looked


def test_what_is_found_on_the_way_is_known_at_once(explorer, tiny_slices):
    header(explorer)
    found = None
    for _ in range(100_000):
        made = asked(explorer, "look")
        if any(one.rule == "statistics-bound" for one in explorer.file.findings):
            found = made
            break
    assert found is not None and not found["whole"]
    assert "`b`, row group 0: the max is 0, the largest value is 9" in header(explorer)


def test_a_small_file_is_whole_from_the_start(orders_bytes):
    explorer = pqexplore.explore(orders_bytes)
    first = header(explorer)
    assert asked(explorer, "look") == {"done": 1.0, "whole": True, "ended": False, "findings": 0}
    assert header(explorer) == first


def test_a_saved_page_has_what_the_look_found(explorer):
    header(explorer)
    whole(explorer)
    assert "check" in [op for op, _ in explorer._asked.values()]


def test_a_finding_of_some_values_gives_way_to_that_of_all():
    """A first look counts the rows of the pages that it saw; all bytes have the number."""
    out = io.BytesIO()
    pq.write_table(pa.table({"n": np.arange(ROWS)}), out, data_page_size=64, write_batch_size=100, use_dictionary=False)
    data = with_max(out.getvalue(), 0, 5)
    with pqexplore.open(data) as file:
        sample, all_ = (pqexplore.diagnose(file, level).findings[0] for level in ("sample", "data"))
    assert "misses at least 100 rows" in sample.message or "misses at least 94 rows" in sample.message
    assert (
        f"misses {ROWS - 6:,} rows" in all_.message
        and all_.message == pqexplore.diagnose(data, "data").findings[0].message
    )
