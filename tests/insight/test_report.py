"""Lines about a file and about an answer: bounded lists, fitted to a terminal, nothing lost without a word."""

import json

import made
import pyarrow as pa
import pytest
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.report import answer_report, file_report, node_report
from pqexplore.insight.terminal import WHOLE, Room, width

PATH = "orders.bag.array_element.o_lineitems"


def answer(rows: int, columns: int = 2) -> Answer:
    """A table with a path, and numbers."""
    table = Table([Column("path", "column"), *(Column(f"n{i}", f"number {i}", "number") for i in range(columns - 1))])  # fmt: skip
    for row in range(rows):
        table.add(f"{PATH}.c{row}", *range(row, row + columns - 1), address=f"row_groups/{row}")
    return Answer("Some.", table=table)


@pytest.mark.parametrize("room", [80, 100, WHOLE])
@pytest.mark.parametrize("rows, more", [(196, 0), (197, 0), (198, 2), (5_000, 4_804)])
def test_a_list_has_at_most_200_lines_unless_all_are_asked_for(room, rows, more):
    whole = list(answer_report(answer(rows), Room(room)))
    assert len(whole) == rows + 3 and not any("more row" in line for line in whole)
    shown = list(answer_report(answer(rows), room))
    assert len(shown) == (200 if more else rows + 3)
    assert not more or shown[-1] == f"  … and {more:,} more rows: --all"


def test_rows_that_are_paragraphs_are_counted_in_lines():
    table = Table([Column("why", "why"), Column("how", "how")])
    for _ in range(500):
        table.add("a sentence that has more words than a cell", "and another one of as many words as that")
    shown = list(answer_report(Answer("", table=table), 40))
    assert 150 < len(shown) <= 200 and shown[-1].endswith(" more rows: --all")


def test_rows_that_no_answer_lists_are_counted_in_a_pipe_too():
    made_answer = answer(3)
    made_answer.table._total = 9
    assert list(answer_report(made_answer, WHOLE))[-1] == "  and 6 more rows"


def test_cells_are_whole_in_a_pipe():
    table = Table([Column("value", "value")])
    table.add("x" * 5_000)
    table.add(b"\0" * 300)
    lines = list(answer_report(Answer("", table=table), WHOLE))
    assert "x" * 5_000 in lines[2] and lines[3].count("00") == 300
    assert max(map(width, answer_report(Answer("", table=table), 80))) <= 80


@pytest.mark.parametrize("room", [80, 100, 200])
@pytest.mark.parametrize("columns", [2, 8, 30])
@pytest.mark.parametrize("rows", [3, 4])
def test_a_table_fits_the_terminal_and_names_the_columns_that_do_not(room, columns, rows):
    lines = list(answer_report(answer(rows, columns), room))
    assert max(map(width, lines)) <= room
    text, _, left = " ".join(" ".join(lines).split()).partition("The line is too short for: ")
    assert not left or (rows == 4 and left.endswith(". --wide shows them."))
    left_out = left.removesuffix(". --wide shows them.").split(", ")
    shown = [n for n in range(columns - 1) if f"number {n}" not in left_out]
    assert all(str(row + n) in text for row in range(rows) for n in shown)
    assert all(f"row_groups/{row}" in text for row in range(rows)) or "address" in left_out
    assert all(f".c{row}" in text for row in range(rows))


def test_columns_of_one_value_go_above_a_table_that_is_too_wide():
    table = Table([Column("name", "name"), Column("kind", "kind"), Column("remark", "remark")])
    for name in ("a" * 20, "b" * 20):
        table.add(name, "the same kind in each of the rows", None)
    lines = list(answer_report(Answer("", table=table), 32))
    assert lines[1:3] == ["  in all rows: kind the same", "  kind in each of the rows"]
    assert lines[3:] == ["  name", f"  {'a' * 20}", f"  {'b' * 20}"]
    assert "kind" in list(answer_report(Answer("", table=table), 120))[1]


def opened(table, **options):
    return pqexplore.open(made.parquet(table, **options))


def test_all_columns_are_listed_if_they_are_asked_for():
    file = opened(pa.table({f"c{i}": [i] for i in range(250)}))
    for room, said in ((Room(100), 0), (Room(WHOLE), 0), (100, 2), (WHOLE, 2)):
        lines = list(file_report(file, room))
        rest = ("  … and 50 more columns: --all", "  … and 50 more fields: --all")
        assert sum(line in rest for line in lines) == said
        assert any(line.split()[:1] == ["c249"] for line in lines) == (not said)


@pytest.mark.parametrize("codec, rows, marked", [("gzip", 1, True), ("gzip", 5_000, False), ("none", 1, False)])  # fmt: skip
def test_columns_that_grow_by_compression_are_marked(codec, rows, marked):
    table = pa.table({"n": pa.array([7] * rows, pa.int32())})
    lines = list(file_report(opened(table, use_dictionary=False, compression=codec), 200))
    assert any(" grows " in line for line in lines) == marked


def test_key_value_metadata_is_whole_and_decoded():
    note = "\n".join(f"line {n}" for n in range(50))
    table = pa.table({"n": [1]}).replace_schema_metadata(
        {"note": note, "own": json.dumps({"a": [1, 2], "b": ["x" * 90] * 2}), "who": "me"}
    )
    whole = list(file_report(opened(table), WHOLE))
    assert "    line 49" in whole
    assert "    n: int64" in whole and '     "a": [1, 2]' in whole and '     "b": [' in whole
    assert "  who = me  (key_value_metadata/2)" in whole
    shown = list(file_report(opened(table), 80))
    assert "    line 19" in shown and "    line 20" not in shown
    assert "    … and 30 more lines: --all" in shown


@ONE_COLUMN_METADATA
def test_gaps_have_their_text():
    data = made.parquet(pa.table({"n": [1]}))
    text = b"a note that somebody left in the file, " * 4
    length = int.from_bytes(data[-8:-4], "little")
    at = len(data) - 8 - length
    lines = list(file_report(pqexplore.open(data[:at] + text + data[at:]), WHOLE))
    assert f"    {text.decode()}" in lines
    assert not any(line == "Gaps" for line in file_report(pqexplore.open(data), WHOLE))


@pytest.mark.parametrize("name, said", [
    ("encrypted", "encrypted with AES_GCM_V1, the footer too; no AAD prefix is stored"),
    ("ctr-plaintext-footer", "encrypted with AES_GCM_CTR_V1; "),
    ("supplied-aad-prefix", "no AAD prefix is stored, and a reader must supply one"),
    ("events", ""),
])  # fmt: skip
def test_an_encrypted_file_says_its_algorithm(tmp_path, name, said):
    path = tmp_path / "sample.parquet"
    SAMPLES[name].write(path)
    lines = "\n".join(file_report(pqexplore.open(path), WHOLE))
    assert said in lines and ("encrypted with" in lines) == bool(said)


@ONE_COLUMN_METADATA
def test_a_column_chunk_has_its_key_value_metadata():
    from pqexplore.engine.format.thrift.structs import KeyValue

    pairs = [KeyValue(key="foo", value="bar"), KeyValue(key="bare", value=None)]
    data = made.rebuilt(
        made.parquet(pa.table({"n": [1]})), row_groups__0__columns__0__meta_data__key_value_metadata=pairs
    )
    file = pqexplore.open(data)
    address = "row_groups/0/columns/0/key_value_metadata"
    lines = list(node_report(file, file.node("row_groups/0/columns/0"), WHOLE, 5))
    assert f"  foo = bar  ({address}/0)" in lines and f"  bare  (no value, {address}/1)" in lines
    assert file.node(f"{address}/1").kind == "key_value"
    assert any(line.split()[:3] == ["file", "offset", "0"] for line in lines)
    assert "Key-value metadata" not in list(node_report(file, file.node("row_groups/0"), WHOLE, 5))
