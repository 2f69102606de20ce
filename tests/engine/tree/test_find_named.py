"""Parts with a name of their own are found beside very many pages."""

import importlib
import io

import pyarrow as pa
import pytest

import pqexplore


def test_the_index_of_a_chunk_with_many_pages_is_found(monkeypatch):
    out = io.BytesIO()
    pqexplore.write(pa.table({"n": range(50)}), out, pqexplore.WriteOptions(page_rows=1))
    find = importlib.import_module("pqexplore.engine.tree.resolve_address")
    monkeypatch.setattr(find, "SEARCHED", 10)
    with pqexplore.open(out.getvalue()) as file:
        chunk = "row_groups/0/columns/0"
        assert len(file.node(chunk).children) > 50
        assert file.node(f"{chunk}/column_index").kind == "column_index"
        assert file.node(f"{chunk}/pages/49").address == f"{chunk}/pages/49"
        with pytest.raises(KeyError):
            file.node(f"{chunk}/nonsense")
