"""Parts whose places need a key: modules and pages in plaintext, found one after another."""

import io

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.tree import layout, unknown_parts

FOOTER_KEY, OWN_KEY = b"f" * 16, b"c" * 16
ROWS = 600


def written(columns=("secret",), *, algorithm="AES_GCM_V1", plaintext_footer=False, **options):
    """Three columns, of which `columns` are encrypted; in three row groups with indexes and Bloom filters."""
    table = pa.table(
        {
            "secret": [f"s{n % 50}" for n in range(ROWS)],
            "open": pa.array(range(ROWS), pa.int64()),
            "other": [n / 2 for n in range(ROWS)],
        }
    )
    sink = io.BytesIO()
    encryption = pqexplore.Encryption(
        footer_key=FOOTER_KEY,
        column_keys=None if columns is None else dict.fromkeys(columns, OWN_KEY),
        algorithm=algorithm,
        plaintext_footer=plaintext_footer,
    )
    chosen = {"row_group_rows": 200, "page_rows": 60, "bloom_filter": True} | options
    pqexplore.write(table, sink, pqexplore.WriteOptions(encryption=encryption, **chosen))
    return sink.getvalue()


def with_keys(data):
    columns = dict.fromkeys(("secret", "open", "other"), OWN_KEY)
    return pqexplore.open(data, decryption=pqexplore.Decryption(FOOTER_KEY, columns))


def known(file):
    """The start and end of each page of an open column, and of each module, of a file with its keys."""
    pages = [
        (frame.start, frame.end) for chunk in file.chunks() if not chunk.encrypted for frame in chunk.frames.frames
    ]
    modules = []
    for chunk in file.chunks():
        if chunk.encrypted:
            for frame in chunk.frames.frames:
                modules += [(frame.start, frame.header_end), (frame.header_end, frame.end)]
    return pages, modules


@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize("columns", [None, ("secret",), ("open",), ("secret", "other")])
@pytest.mark.parametrize("page_version", [1, 2])
def test_pages_in_plaintext_and_modules_are_found_without_a_key(algorithm, columns, page_version):
    data = written(columns, algorithm=algorithm, page_version=page_version)
    with pqexplore.open(data) as file, with_keys(data) as opened:
        [(start, end)] = layout.unknown(file)
        assert (start, end) == (4, file.footer.start)
        runs = unknown_parts.runs(file, start, end)
        assert [run.start for run in runs] == [4, *(run.end for run in runs[:-1])]
        assert runs[-1].end == end
        assert {run.kind for run in runs} <= {"modules", "pages", "indexes"}
        pages, modules = known(opened)
        assert [place for run in runs if run.kind == "pages" for place in run.parts()] == pages
        found = {place for run in runs if run.kind == "modules" for place in run.parts()}
        assert found >= set(modules)


def test_salvage_reads_the_pages_that_are_offered():
    data = written()
    with pqexplore.open(data) as file:
        runs = unknown_parts.runs(file, *layout.unknown(file)[0])
    offered = [place for run in runs if run.kind == "pages" for place in run.parts()]
    assert [(page.start, page.end) for page in pqexplore.salvage(data).pages] == offered


def test_the_tree_the_layout_and_the_check_without_the_footer_key():
    with pqexplore.open(written()) as file:
        for level in ("pages", "chunks"):
            kinds = file.layout(level)["kind"].to_pylist()
            assert "unknown_parts" in kinds and "gap" not in kinds
        assert [one.name for one in file.root.children][-1] == "unknown_parts"
        node = file.node("unknown_parts/4")
        assert node.label == "pages and indexes, not known without the footer key"
        assert node.state == "locked" and node.reason.startswith("the footer key was not given")
        end = node.span.start
        for run in node.children:
            assert run.span.start == end
            assert run.address == file.node(run.address).address
            for part in run.children:
                assert part.span.start == end
                end = part.span.end
                assert [one.span.start for one in part.children][:1] in ([part.span.start], [])
            assert run.span.end == end
        assert end == node.span.end
        header = file.node("unknown_parts/4/1/0/header")
        assert "uncompressed_page_size" in [child.name for child in header.children]
        found = [(one.rule, one.severity, one.address) for one in file.check()]
        assert found == [("locked", "note", "footer")]


def test_with_the_footer_key_alone_the_column_keys_are_missing():
    """The places of a column with a key of its own are in its encrypted metadata."""
    with pqexplore.open(written(("secret", "open")), decryption=pqexplore.Decryption(footer_key=FOOTER_KEY)) as file:
        kinds = file.layout()["kind"].to_pylist()
        assert "unknown_parts" in kinds and "gap" not in kinds
        nodes = file.node("unknown_parts").children
        assert {node.label for node in nodes} == {"pages and indexes, not known without the column keys"}
        assert "gap" not in {one.rule for one in file.check()}
        other = file.row_groups[0].columns[2].span
        assert all(node.span.end <= other.start or node.span.start >= other.end for node in nodes)


@pytest.mark.parametrize(
    ("make", "gap"), [(lambda data: data, False), (lambda data: data[:4] + bytes(4) + data[4:], True)]
)
def test_with_all_keys_a_gap_is_a_gap(make, gap):
    """Four zero bytes after the magic move the pages; the footer's offsets no longer fit, and bytes are unowned."""
    data = make(written(plaintext_footer=True, bloom_filter=False))
    with with_keys(data) as file:
        kinds = file.layout()["kind"].to_pylist()
        assert "unknown_parts" not in kinds
        assert ("gap" in kinds or "unreadable" in kinds) == gap


def test_bytes_that_are_neither_module_nor_page(monkeypatch):
    data = written()
    broken = data[:4] + b"\xff" * 40 + data[44:]
    with pqexplore.open(broken) as file:
        [run] = unknown_parts.runs(file, 4, file.footer.start)
        assert (run.kind, run.end) == ("unknown", file.footer.start)
        [fact] = [one for one in file.node("unknown_parts/4").facts if one.name == "looks like"]
        assert fact.value.endswith("bytes at which neither a module nor a page begins")
    monkeypatch.setattr(unknown_parts, "STEPS", 5)
    with pqexplore.open(data) as file:
        runs = unknown_parts.runs(file, 4, file.footer.start)
        assert sum(len(run.starts) for run in runs if run.kind != "rest") == 5
        assert (runs[-1].kind, runs[-1].end) == ("rest", file.footer.start)
