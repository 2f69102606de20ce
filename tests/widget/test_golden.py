"""What operations reply to a view about small files, compared with `golden/`: the result, and its columns unpacked."""

from pathlib import Path

import pytest
from golden import plain, same
from insight.lenses.test_golden import chunk, opened
from widget.test_lenses import texts

from pqexplore.widget import map_colours, rpc
from pqexplore.widget.operations import OPERATIONS

GOLDEN = Path(__file__).parent / "golden"
TWO, PAGE = "tags in two row groups", chunk(0, "/pages/1")

REPLIES = {
    # operation: the file, its arguments
    "children": [("tags", {"address": ""}), ("tags", {"address": chunk(0)}), ("tags", {"address": f"{PAGE}/values"}), ("tags", {"address": f"{PAGE}/values", "start": 2, "count": 1})],
    "locate": [("tags", {"offset": at}) for at in (0, 4, 40, 66, 75, 90, 120)] + [("tags", {"offset": 0, "space": "nowhere"})],
    "node": [("tags", {"address": at, "view": "facts"}) for at in ("", chunk(0), PAGE, f"{PAGE}/values/0", "footer", "schema/1")] + [(TWO, {"address": "row_groups/1", "view": "facts"}), ("locked without keys", {"address": "unknown_parts/4", "view": "facts"})],
    "structure": [("tags", {"start": 0}), ("filters", {"start": 0}), ("between vectors", {"start": 0}), ("locked under CTR without keys", {"start": 0})],
    "layout": [(TWO, {"level": "pages"}), (TWO, {"level": "chunks"}), ("locked without keys", {"level": "pages"})],
    "map_colours": [(TWO, {"by": by, "level": level}) for by in map_colours.BY for level in ("pages", "chunks")],
    "search": [("tags", {"query": one}) for one in ("2", "0x2", "byte 2", "1,0", "TAG", "flat", "flat row 3", "tags row 9", "row_groups/0/col", "foot", "nothing", "  ")] + [("notes", {"query": "long"})],
    "rows": [("tags", {"start": 0, "column": 0}), (TWO, {"start": 0, "column": 0})],
    "cell": [("tags", {"row": row, "column": column}) for row in (0, 1, 2, 3) for column in (0, 1)],
    "row": [(TWO, {"row": 3})],
    "row_summaries": [("ranges", {"column": 0}), ("tags", {"column": 0, "group": 0})],
    "entries": [("tags", {"address": PAGE, "start": 0}), ("tags", {"address": chunk(0, "/pages/0"), "start": 0})],
    "nesting_steps": [("nested", {"address": chunk(0, "/pages/0"), "start": 0})],
    "derive": [("runs", {"address": PAGE, "value": 104}), ("runs", {"address": PAGE, "byte": 2}), ("plain", {"address": chunk(0, "/pages/0"), "step": 1})],
    "bloom_blocks": [("filters", {"address": chunk(0)})],
    "bloom_words": [("filters", {"address": chunk(0), "block": 1})],
    "bloom_probe": [("filters", {"address": chunk(0), "value": value}) for value in ("3", "300", "x")],
    "indexed_pages": [("pages", {"address": chunk(4)})],
    "indexed_texts": [("pages", {"address": chunk(4), "start": 0})],
    "ranges": [("ranges", {"address": "schema/1"}), ("ranges", {"address": chunk(4, group=3)})],
    "column_groups": [("ranges", {"leaf": 0}), ("no statistics", {"leaf": 0})],
    "count_values": [("words", {"address": "schema/1"}), ("ranges", {"address": "schema/4"})],
    "group_differences": [("ranges", {"groups": [0, 3]})],
    "find": [("tags", {"needles": ["50415231"]}), ("tags", {"needles": ["5041", "50415231"], "start": 1}), ("tags", {"needles": ["ffffff"]})],
    "code": [("tags", {}), ("tags", {"address": chunk(0), "view": "nesting"}), ("tags", {"view": "query", "where": "flat > 1"})],
    "values": [("groups", {"value": one}) for one in ("Oslo", "'Oslo'", "17", "'", "nowhere")],
    "match_rows": [("groups", {"where": "n > 37", "start": 0, "stop": 40}), ("groups", {"where": "m", "start": 0, "stop": 40})],
    "sort_rows": [("ranges", {"column": 1, "largest": largest, "start": 0, "stop": 8}) for largest in (True, False)],
    "ask_completion": [("groups", {"before": one}) for one in ("", "ci")],
    "ask_literal": [("groups", {"address": "", "where": "n > 33"})],
    "ask_skips": [("groups", {"where": "n = 17"})],
    "schema_fields": [("tags", {"start": 0})],
    "variant_row": [("variant", {"address": "schema/1", "row_group": 0, "row": 1})],
}  # fmt: skip


@pytest.mark.parametrize("op", REPLIES)
def test_what_an_operation_replies(op, monkeypatch):
    """A result's columns travel as buffers; an error says what and where."""
    monkeypatch.setattr("pqexplore.widget.operations.SECONDS", 60)  # a busy machine changes no answer
    parts = []
    for name, args in REPLIES[op]:
        request = {"kind": "request", "id": 1, "op": op, "args": args}
        [(reply, buffers)] = rpc.answer(OPERATIONS, opened(name), request)
        result = reply["result"] if reply["ok"] else reply["error"]
        if "columns" in result and buffers:
            result = result | {"columns": texts(result, buffers)}
        parts.append(f"== {name}, {args}\n{plain(result)}\n")
    same(GOLDEN / f"{op}.txt", "\n".join(parts))
