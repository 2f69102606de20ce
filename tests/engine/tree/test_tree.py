"""Addresses lead to nodes, nodes to bytes, bytes to values."""

import importlib

import pyarrow as pa
import pytest
from engine.check.violations import leftovers as planted
from made import events, ours, parquet
from widget.samples import orders_bytes

import pqexplore
from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import struct_spans
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.tree import layout, unknown_parts
from pqexplore.engine.tree.resolve_address import Found, found_in, keeping_nodes
from pqexplore.widget import tree

TABLE = events(300)
FILES = {
    "uncompressed": parquet(TABLE, compression=None, use_dictionary=False, write_page_index=True),
    "snappy": parquet(TABLE),
    "V2": parquet(TABLE, data_page_version="2.0", compression="zstd"),
}


def test_addresses_join_and_have_parents():
    assert Address.of("row_groups", 0, "", "columns", 4) == "row_groups/0/columns/4"
    chain = ["row_groups/0/columns/4/pages/2/values/17"]
    while chain[-1]:
        chain.append(Address(chain[-1]).parent)
    assert chain[1:] == [
        "row_groups/0/columns/4/pages/2/values", "row_groups/0/columns/4/pages/2", "row_groups/0/columns/4",
        "row_groups/0", "row_groups", "",
    ]  # fmt: skip


def test_a_lazy_sequence_makes_what_is_asked_for():
    made = []
    items = LazySequence(10**12, lambda index: made.append(index) or index)
    assert items[5] == 5
    assert items[-1] == 10**12 - 1
    assert items[7:9] == [7, 8]
    assert made == [5, 10**12 - 1, 7, 8]
    with pytest.raises(IndexError):
        items[10**12]


def walk(node, depth=0):
    yield node
    for child in list(node.children)[:6]:
        yield from walk(child, depth + 1)


@pytest.mark.parametrize("name", FILES)
def test_every_node_is_found_by_its_address_and_lies_in_its_space(name):
    file = pqexplore.open(FILES[name])
    seen = 0
    for node in walk(file.root):
        seen += 1
        again = file.node(node.address)
        assert (again.kind, again.label, again.span) == (node.kind, node.label, node.span)
        assert isinstance(node.kind, Kind) and isinstance(node.address, Address)
        assert all(fact.name and fact.meaning for fact in node.facts), node
        if node.address:
            assert file.node(node.address.parent) is not None
        if node.span is not None:
            assert 0 <= node.span.start <= node.span.end <= file.space_size(node.span.space)
            assert len(file.bytes(node.span)) == len(node.span)
    assert seen > 200


@pytest.mark.parametrize("name", FILES)
def test_file_space_children_of_a_page_tile_it(name):
    file = pqexplore.open(FILES[name])
    for chunk in file.chunks():
        for page in chunk.pages:
            node = file.node(page.address)
            inside = [child.span for child in node.children if child.span.space == FILE]
            body = [child for child in node.children if child.kind == "body"]
            if body:
                inside = [node.children[0].span, body[0].span]
            at = node.span.start
            for span in inside:
                assert span.start == at, node
                at = span.end
            assert at == node.span.end


# column | value number | the bytes that say it, in an uncompressed PLAIN page
PLAIN = [("id", 17, (17).to_bytes(8, "little")), ("name", 8, b"\x06\x00\x00\x00name 1")]


@pytest.mark.parametrize(("column", "index", "expected"), PLAIN)
def test_from_a_value_to_its_bytes(column, index, expected):
    file = pqexplore.open(FILES["uncompressed"])
    chunk = file.row_groups[0].columns[column]
    node = file.node(f"{chunk.pages[0].address}/values/{index}")
    assert node.span.space == FILE
    assert file.bytes(node.span) == expected


def test_a_dictionary_encoded_value_points_at_its_entry():
    file = pqexplore.open(FILES["snappy"])
    page = file.row_groups[0].columns["name"].pages[1]
    facts = {fact.name: fact for fact in file.node(f"{page.address}/values/8").facts}
    assert facts["value"].value == "name 1"
    entry = file.node(facts["dictionary index"].address)
    assert {fact.name: fact.value for fact in entry.facts}["value"] == "name 1"
    assert "bits" in facts


def test_the_footer_has_a_node_for_each_field():
    file = pqexplore.open(FILES["snappy"])
    node = file.node("footer/row_groups/0/columns/1/meta_data/codec")
    assert {fact.name: fact.value for fact in node.facts}["value"] == "SNAPPY"
    assert len(file.bytes(node.span)) == 2
    at_chunk = file.node("row_groups/0/columns/1/metadata/meta_data/codec")
    assert at_chunk.span == node.span


@pytest.mark.parametrize(
    "address",
    ["nothing", "row_groups/7", "row_groups/0/columns/99", "row_groups/0/columns/0/pages/99",
     "row_groups/x", "footer/nothing", "gaps/5", "schema/999", "row_groups/0/columns/0/pages/0/values/-1"],
)  # fmt: skip
def test_an_unknown_address_is_a_key_error(address):
    with pytest.raises(KeyError):
        pqexplore.open(FILES["snappy"]).node(address)


def test_bytes_outside_a_space_raise():
    file = pqexplore.open(FILES["snappy"])
    page = file.row_groups[0].columns[0].pages[0]
    space = f"{page.address}:decompressed"
    size = file.space_size(space)
    assert size == page.header.uncompressed_page_size
    assert len(file.bytes(Span(0, size, space))) == size
    with pytest.raises(ValueError, match="outside"):
        file.bytes(Span(0, size + 1, space))
    with pytest.raises(KeyError):
        file.bytes(Span(0, 1, "row_groups/0/columns/0/pages/0:nothing"))


def test_an_empty_table_has_a_tree():
    file = pqexplore.open(parquet(pa.table({"a": pa.array([], pa.int32())})))
    assert [node.address for node in file.root.children][:3] == ["magic", "schema", "row_groups"]


@pytest.mark.parametrize("section", ["values", "definition_levels"])
def test_a_section_of_a_page_that_cannot_be_opened_says_why(section):
    with pqexplore.open(FILES["snappy"]) as file:
        page = next(p for p in file.row_groups[0].columns["name"].pages if p.is_data)
        start, end = page.frame.header_end, page.frame.end
    damaged = bytearray(FILES["snappy"])
    damaged[start:end] = b"\xff" * (end - start)
    with pqexplore.open(bytes(damaged)) as file:
        with pytest.raises(pqexplore.CorruptFileError) as caught:
            file.node(f"{page.address}/{section}")
        assert caught.value.address == page.address
        with pytest.raises(KeyError):
            file.node(f"{page.address}/nothing")


# Parts with a name of their own are found beside very many pages.


def test_the_index_of_a_chunk_with_many_pages_is_found(monkeypatch):
    data = ours(pa.table({"n": range(50)}), pqexplore.WriteOptions(page_rows=1))
    find = importlib.import_module("pqexplore.engine.tree.resolve_address")
    monkeypatch.setattr(find, "SEARCHED", 10)
    with pqexplore.open(data) as file:
        chunk = "row_groups/0/columns/0"
        assert len(file.node(chunk).children) > 50
        assert file.node(f"{chunk}/column_index").kind == "column_index"
        assert file.node(f"{chunk}/pages/49").address == f"{chunk}/pages/49"
        with pytest.raises(KeyError):
            file.node(f"{chunk}/nonsense")


# Nodes that are kept while a file is walked: the same tree, found with less reading.


CHUNK = "row_groups/0/columns/1"
ADDRESSES = (
    "footer/schema/3/name",
    f"footer/{CHUNK}/meta_data/statistics/max_value",
    f"{CHUNK}/column_index/min_values/0",
    f"{CHUNK}/column_index/min_values",
    f"{CHUNK}/pages/1/header/data_page_header/encoding",
    f"{CHUNK}/pages/1/values/3",
    f"{CHUNK}/metadata/pages/meta_data/codec",  # "pages" has no node of its own
    CHUNK,
    "row_groups",
    "",
)


@pytest.fixture
def file():
    with pqexplore.open(orders_bytes()) as opened:
        yield opened


def seen(node):
    return (
        *(node.kind, node.label, node.address, node.span, node.state, node.reason),
        *([str(fact) for fact in node.facts], len(node.children)),
    )


def test_the_nodes_are_those_that_are_found_without(file):
    alone = [seen(file.node(address)) for address in ADDRESSES]
    with keeping_nodes(file):
        for _ in range(2):
            assert [seen(file.node(address)) for address in ADDRESSES] == alone
        for missing in ("footer/schema/3/nothing", f"{CHUNK}/pages/1/values/9999", "nothing"):
            with pytest.raises(KeyError):
                file.node(missing)


def test_a_struct_is_read_once_for_its_fields(file, monkeypatch):
    reads = []
    read = struct_spans.read
    monkeypatch.setattr(struct_spans, "read", lambda *args, **more: reads.append(1) or read(*args, **more))
    header = f"{CHUNK}/pages/1/header"
    fields = [one.address for one in file.node(header).children]
    with keeping_nodes(file):
        reads.clear()
        for address in fields:
            file.node(address)
        assert len(reads) == 1
    reads.clear()
    for address in fields:
        file.node(address)
    assert len(reads) == len(fields)


def test_after_a_new_finding_the_nodes_are_found_anew(file):
    page = f"{CHUNK}/pages/1"
    with keeping_nodes(file):
        before = file.node(page)
        assert file.node(page) is before and before.state == "ok"
        file.note(Finding("unreadable", page, "it is torn"))
        assert (file.node(page).state, file.node(page).reason) == ("corrupt", "it is torn")


def test_they_are_dropped_at_the_end_and_with_the_file():
    with pqexplore.open(orders_bytes()) as file:
        with pytest.raises(ParquetError), keeping_nodes(file):
            file.node("row_groups/0")
            raise ParquetError("an error")
        assert found_in(file) is None


def test_at_most_so_many_are_kept(file, monkeypatch):
    monkeypatch.setattr("pqexplore.engine.tree.resolve_address.MOST", 2)
    kept = Found(file)
    for address in ("schema", "row_groups/0", "row_groups/1"):
        kept.add(file.node(address))
    assert kept.nearest(["schema"]) is None
    assert kept.nearest(["row_groups", "1", "x"])[1] == ["x"]


# Bytes of a page that no level and no value needs are nodes after the values.


ADDRESS = f"{planted.PAGE}/values/leftover_12"
INTEGERS = planted.section(Type.INT32, Encoding.PLAIN)


@pytest.mark.parametrize("codec", [CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY])
def test_the_last_child_of_a_section_is_its_leftover(codec):
    with pqexplore.open(planted.values(INTEGERS + planted.EXTRA, codec=codec)) as file:
        node = file.node(ADDRESS)
        assert (node.kind, node.label, node.address) == (Kind.LEFTOVER, "8 bytes left over", ADDRESS)
        assert file.bytes(node.span) == planted.EXTRA
        assert (node.span.space == FILE) == (codec == CompressionCodec.UNCOMPRESSED)
        assert [child.name for child in file.node(node.address.parent).children] == [*("0", "1", "2", "leftover_12")]
        assert tree.locate(file, node.span.start, node.span.space).address == ADDRESS
        assert tree.locate(file, node.span.start - 1, node.span.space).address == node.address.parent
        assert [one.leaf for one in tree.children(file, node.address.parent).items] == [True] * 4


def test_a_section_without_leftovers_has_only_values():
    with pqexplore.open(planted.values(INTEGERS)) as file:
        assert [one.kind for one in file.node(f"{planted.PAGE}/values").children] == [Kind.VALUE] * 3
        with pytest.raises(KeyError):
            file.node(ADDRESS)


def test_the_leftover_after_many_values_is_found():
    count = 200_000
    page = planted.assembly.page_v1(bytes(count) + b"ab", 8 * count)
    with pqexplore.open(planted.column([page], Type.BOOLEAN)) as file:
        node = file.node(f"{planted.PAGE}/values/leftover_{count}")
        assert file.bytes(node.span) == b"ab"


def test_the_leftovers_of_the_last_run_and_after_it_are_two():
    with pqexplore.open(planted.optional(b"\x05\x03\xaa" + b"xy")) as file:
        names = [one.name for one in file.node(f"{planted.PAGE}/definition_levels").children]
        assert names == ["0", "1", "2", "leftover_6", "leftover_7"]


def test_a_trace_ends_with_the_leftover():
    with pqexplore.open(planted.indexes(b"\x01\x03\x06" + b"xy")) as file:
        steps = list(file.row_groups[0].columns[0].pages[1].trace())
        assert [step.kind for step in steps] == ["bit width", "bit-packed run", "leftover"]
        assert steps[1].values.to_pylist() == [5, 6, 6]
        assert (steps[2].start, steps[2].end, steps[2].values) == (3, 5, None)


# Parts whose places need a key: modules and pages in plaintext, found one after another.


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
    encryption = pqexplore.Encryption(
        footer_key=FOOTER_KEY,
        column_keys=None if columns is None else dict.fromkeys(columns, OWN_KEY),
        algorithm=algorithm,
        plaintext_footer=plaintext_footer,
    )
    chosen = {"row_group_rows": 200, "page_rows": 60, "bloom_filter": True} | options
    return ours(table, pqexplore.WriteOptions(encryption=encryption, **chosen))


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
        found = [(one.rule, one.severity.level, one.address) for one in file.check()]
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
