"""The bytes of the hex view: the owner of each, and a search in them."""

import contextlib

import pyarrow as pa
import pytest
from made import open_sample, parquet, rebuilt

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import FILE, Span
from pqexplore.insight import lenses
from pqexplore.widget import export, hexview, structure
from pqexplore.widget.runs import CORRUPT, LOCKED, OK

SPACES = 4
"""Decoded spaces of a file that are looked at."""


def spaces(file):
    """The file, and the decoded bytes of some of its pages."""
    found = {FILE: None}
    with contextlib.suppress(ParquetError):
        for chunk in file.chunks():
            with contextlib.suppress(ParquetError):
                for page in chunk.pages[:2]:
                    found |= dict.fromkeys(page.body.spaces)
    return [*found][: SPACES + 1]


def rows(answer):
    """The runs as dictionaries, with names in place of indexes."""
    columns = answer.runs.by_name
    names = {"kind": answer.kinds, "part": answer.kinds}
    names |= {"path": answer.paths, "about": answer.abouts, "type": [None, *answer.types]}
    return [
        {name: names[name][int(one)] if name in names else one for name, one in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]  # fmt: skip


def windows(file, space):
    """Both ends of a space, and some windows between them."""
    starts = range(0, file.space_size(space), structure.WINDOW)
    return sorted({*starts[:2], *starts[-2:], *starts[:: max(1, len(starts) // 4)]})


@pytest.mark.parametrize(("name", "locked"), [
    *((name, False) for name in ("everything", "codecs", "lz4-v2", "deltas", "alp", "nested")),
    *((name, False) for name in ("bloom-filter", "page-index", "variant-shredded", "metadata-copy")),
    *((name, locked) for name in ("encrypted", "encrypted-columns", "ctr-plaintext-footer") for locked in (False, True)),
])  # fmt: skip
def test_runs_tile_their_window_and_every_address_exists(name, locked):
    file = open_sample(name, not locked)
    for space in spaces(file):
        for start in windows(file, space):
            runs = rows(structure.structure(file, start, space))
            assert runs[0]["start"] <= start
            assert runs[-1]["end"] >= min(start + structure.WINDOW, file.space_size(space))
            edges = [(a["end"], b["start"]) for a, b in zip(runs, runs[1:], strict=False)]
            assert all(end == begin for end, begin in edges)
            assert all(run["end"] > run["start"] for run in runs)
            for address in list(dict.fromkeys(run["address"] for run in runs))[::9]:
                assert file.node(address).address == address


def at(file, offset, space=FILE):
    """The run that has a byte."""
    start = offset // structure.WINDOW * structure.WINDOW
    found = [run for run in rows(structure.structure(file, start, space)) if run["start"] <= offset < run["end"]]
    assert len(found) == 1
    return found[0]


def _ends(span):
    return span.start, span.end


def test_packed_values_are_named_in_groups_of_eight():
    file = open_sample("events")
    address = "row_groups/0/columns/5/pages/1"
    levels = file.row_groups[0].columns[5].pages[1].repetition_levels
    run = at(file, 5, f"{address}:decompressed")
    shown = ", ".join(map(str, levels[:8].tolist()))
    assert run["label"] == f"levels 0 to 7 = {shown}"
    assert run["address"] == f"{address}/repetition_levels/0"


def test_streams_of_bytes_are_runs_because_their_values_lie_apart():
    file = open_sample("deltas")
    chunk = next(
        i
        for i, one in enumerate(file.row_groups[0].columns)
        if one.pages[-1].encoding == 9  # BYTE_STREAM_SPLIT
    )
    node = file.node(f"row_groups/0/columns/{chunk}/pages/0/values")
    assert at(file, node.span.start, node.span.space)["label"] == "byte 0 of 1,000 values"


def test_a_page_of_many_values_gives_those_of_the_window():
    table = pa.table({"v": pa.array(range(300_000), pa.int64())})
    data = parquet(table, use_dictionary=False, data_page_size=1 << 24, compression="none")
    with pqexplore.open(data) as file:
        values = file.node("row_groups/0/columns/0/pages/0/values").span
        start = (values.start // structure.WINDOW + 10) * structure.WINDOW
        runs = rows(structure.structure(file, start))
        assert len(runs) < 520  # 512 values, a page's header among them
        value = file.node(runs[9]["address"])
        assert _ends(value.span) == (runs[9]["start"], runs[9]["end"])
        assert runs[9]["label"].endswith(f" = {value.facts[0].value}")


def test_levels_of_a_data_page_v2_are_levels_and_the_body_is_what_is_compressed():
    file = open_sample("lz4-v2")
    page = file.row_groups[0].columns[0].pages[0]
    begin, levels = page.frame.header_end, page.header.data_page_header_v2
    first, last = at(file, begin), at(file, begin + levels.definition_levels_byte_length - 1)
    assert {first["part"], last["part"]} == {"definition_levels"}
    assert last["label"].startswith("levels ")
    body = at(file, begin + levels.definition_levels_byte_length)
    assert (body["kind"], body["end"]) == ("body", page.frame.end)
    assert body["about"] == "Compressed with LZ4. The decompressed bytes show what is inside."


BOUNDS = {
    # sample, column: what the card says that the maximum of the first row group is
    "a number": (0, "1023997"),
    "a time": (1, "2026-03-12 14:01:24.012000 UTC"),
    "a text, which its bytes are": (3, None),
    "a decimal": (4, "19486.63"),
}


@pytest.mark.parametrize(("column", "value"), BOUNDS.values(), ids=BOUNDS)
def test_a_bound_says_the_value_that_its_bytes_stand_for(column, value):
    file = open_sample("events")
    chunk = f"row_groups/0/columns/{column}"
    index = file.node(f"{chunk}/column_index/max_values/0")
    for address in (f"footer/{chunk}/meta_data/statistics/max_value", index.address):
        about = at(file, file.node(address).span.end - 1)["about"]
        if value is None:
            assert "Here:" not in about
        elif address == index.address:
            assert " Here: " in about
        else:
            assert about.endswith(f" Here: {value}.")


def test_a_bound_that_is_no_value_says_none():
    data = rebuilt(
        parquet(pa.table({"a": [1, 2]})),
        row_groups__0__columns__0__meta_data__statistics=structs.Statistics(max_value=b"\x01"),
    )
    with pqexplore.open(data) as file:
        span = file.node("footer/row_groups/0/columns/0/meta_data/statistics/max_value").span
        assert "Here:" not in at(file, span.end - 1)["about"]


def test_an_unsigned_column_is_said_to_be_one():
    table = pa.table({"u": pa.array([1], pa.uint32()), "i": pa.array([1], pa.int32())})
    with pqexplore.open(parquet(table)) as file:
        kinds = [structure.column_type(leaf).unsigned for leaf in file.schema.leaves]
        assert kinds == [True, False]


def test_a_decimal_column_has_its_scale():
    file = open_sample("everything")
    leaf = next(one for one in file.schema.leaves if one.logical_type and one.logical_type.DECIMAL)
    kind = structure.column_type(leaf)
    assert (kind.logical, kind.scale) == ("DECIMAL", 2)


@pytest.mark.parametrize("name", ["encrypted-columns", "ctr-plaintext-footer"])
def test_locked_bytes_are_said_to_be_locked_and_with_the_key_they_are_not(name):
    states = {}
    for locked in (False, True):
        file = open_sample(name, not locked)
        states[locked] = {
            run["state"]
            for start in range(0, file.size, structure.WINDOW)
            for run in rows(structure.structure(file, start))
        }
    assert states[False] == {OK}
    assert LOCKED in states[True]


def test_damage_is_said_at_its_bytes_with_its_reason(broken_file):
    page = next(one for one in broken_file.row_groups[0].columns["id"].pages if one.is_data)
    run = at(broken_file, page.frame.header_end)
    assert run["state"] == CORRUPT
    assert run["about"]
    header = at(broken_file, page.frame.start)
    assert header["label"].startswith("type = ")


@pytest.mark.parametrize("start", [-4096, 1, 4095])
def test_a_window_begins_at_a_multiple_of_its_size(file, start):
    with pytest.raises(UsageError):
        structure.structure(file, start)


def found(file, needles, start=0, space=FILE):
    return lenses.finish(hexview.find(file, [one.hex() for one in needles], start, space))


def test_a_search_reads_decoded_bytes(file):
    node = file.node("row_groups/0/columns/1/pages/0/values/0")
    value = file.bytes(node.span)
    assert node.span.start in found(file, [value], 0, node.span.space).starts


def test_a_match_across_the_edge_of_a_step_is_found_once(monkeypatch, file):
    monkeypatch.setattr(hexview, "STEP", 3)
    assert found(file, [b"PAR1"]).starts == [0, file.size - 4]


def test_a_search_is_bounded_in_bytes_and_in_places(monkeypatch, file):
    monkeypatch.setattr(hexview, "SEARCHED", 100)
    answer = found(file, [b"PAR1"])
    assert (answer.starts, answer.end, answer.more) == ([0], 100, False)
    monkeypatch.setattr(hexview, "MATCHES", 3)
    answer = found(file, [b"\0"])
    whole = file.bytes(Span(0, file.size))
    assert len(answer.starts) == 3 and answer.more
    assert answer.starts[0] == whole.index(b"\0")
    assert answer.end == answer.starts[-1] + 1


def test_of_two_needles_neither_hides_the_other(monkeypatch, file):
    monkeypatch.setattr(hexview, "MATCHES", 2)
    assert found(file, [b"\0", b"PAR1"]).starts[0] == 0


@pytest.mark.parametrize("needles", [[], [""], ["zz"], ["00"] * 9, ["00" * 257], [5]])
def test_needles_that_are_none_raise(file, needles):
    with pytest.raises(UsageError):
        lenses.finish(hexview.find(file, needles))


def test_a_saved_page_has_the_owners_of_both_ends_and_of_the_selected_bytes():
    file = open_sample("events")
    page = file.node("row_groups/1/columns/4/pages/1").span
    kept = [args for op, args in export.standard(file, "row_groups/1/columns/4/pages/1") if op == "structure"]
    starts = [0, file.size - 1, page.start]
    assert kept == [{"start": one // structure.WINDOW * structure.WINDOW, "space": FILE} for one in starts]
    first = export.key("structure", kept[0])
    assert any(name == first for name, _ in export.replies(file, [], {"selection": ""}, seconds=0))
