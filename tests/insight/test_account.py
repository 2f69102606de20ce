"""One account of each byte: layout, overview, tree, map, doctor, queries and Bloom view agree, on files made for it."""

import io

import numpy as np
import pyarrow as pa
import pytest
from insight import accounts
from made import open_sample, sample

import pqexplore
from pqexplore.engine.format.thrift import encode, fast, structs
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import account
from pqexplore.insight.doctor.subject import Subject

NUMBERS = pa.table({"a": np.arange(8_000), "b": np.arange(8_000) % 7})


def with_footer(data, change):
    """The file with a changed footer: `change` is called with its FileMetaData."""
    with pqexplore.open(data) as file:
        start, end = file.footer.start, file.footer.end
    metadata, _ = fast.decode(structs.FileMetaData, data[start:end])
    change(metadata)
    made = encode.encode(metadata)
    return data[:start] + made + len(made).to_bytes(4, "little") + data[end + 4 :]


def filtered(stated=True, page_index=True):
    """16 Bloom filters, those of two columns in eight row groups; without their lengths unless `stated`, as of Spark 3.5."""
    out = io.BytesIO()
    options = pqexplore.WriteOptions(
        row_group_rows=1_000, bloom_filter=True, column_index=page_index, offset_index=page_index
    )
    pqexplore.write(NUMBERS, out, options)

    def without(metadata):
        for group in metadata.row_groups:
            for chunk in group.columns:
                chunk.meta_data.bloom_filter_length = None

    return out.getvalue() if stated else with_footer(out.getvalue(), without)


def hole():
    """A file whose second column chunk nothing in the footer names: a gap inside of a row group."""

    def without(metadata):
        metadata.schema[0].num_children = 2
        del metadata.schema[2], metadata.column_orders[1]
        for group in metadata.row_groups:
            del group.columns[1]

    out = io.BytesIO()
    options = pqexplore.WriteOptions(row_group_rows=4_000, column_index=False, offset_index=False)
    pqexplore.write(NUMBERS.append_column("c", NUMBERS["a"]), out, options)
    return with_footer(out.getvalue(), without)


FILES = {
    "Bloom filters": filtered,
    "Bloom filters without lengths": lambda: filtered(stated=False),
    "Bloom filters without lengths or page indexes": lambda: filtered(stated=False, page_index=False),
    "gaps in row groups": hole,
    "a gap before the footer": lambda: sample("sick-gap"),
    "key-value metadata": lambda: sample("sick-key-values"),
    "metadata copies and padding": lambda: sample("metadata-copy"),
    "unknown pages": lambda: sample("unknown-pages"),
}


@pytest.mark.parametrize("walked", [account.WALKED, 0], ids=["by pages", "by chunks"])
@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_every_view_gives_the_same_account_of_the_bytes(make, walked, monkeypatch):
    monkeypatch.setattr(account, "WALKED", walked)
    with pqexplore.open(make()) as file:
        assert accounts.disagreements(file, monkeypatch) == []


@pytest.mark.parametrize("name", [name for name, one in SAMPLES.items() if one.keys])
@pytest.mark.parametrize("keys", [True, False], ids=["with keys", "without"])
def test_every_view_gives_the_same_account_of_an_encrypted_file(name, keys, monkeypatch):
    with open_sample(name, keys) as file:
        assert accounts.disagreements(file, monkeypatch) == []


def test_filters_without_a_length_are_filters_and_nobody_owns_nothing():
    stated, unsaid = filtered(), filtered(stated=False)
    with pqexplore.open(stated) as file, pqexplore.open(unsaid) as other:
        sizes = accounts.stated(file)["Bloom filters"], accounts.stated(other)["Bloom filters"]
        said = other.view("layout").sentence
        lengths = [Subject(one).filter_bytes.tolist() for one in (file, other)]
        rows = [one.view("bloom").table.rows for one in (file, other)]
    assert sizes[0] == sizes[1] == sum(map(sum, lengths[0])) and lengths[0] == lengths[1] and rows[0] == rows[1]
    assert "nobody" not in said and "unreferenced" not in said and said.endswith("every byte has an owner.")


def test_a_gap_in_a_row_group_is_nobody_s_in_the_sentence_about_the_file():
    with pqexplore.open(hole()) as file:
        gap = accounts.stated(file)["gap"]
        assert f"{gap:,} bytes in 2 places belong to nobody" in file.view("layout").sentence
        inside = file.view("layout", at="row_groups/0").sentence
        [first, _] = account.gaps(file)
        assert f"{first[1] - first[0]:,} bytes belong to nobody" in inside
    with pqexplore.open(filtered()) as file:
        assert "nobody" not in file.view("layout", at="row_groups/0").sentence


def test_a_filter_that_is_said_to_be_elsewhere_is_no_owner():
    """A Bloom filter without a length whose header cannot be read owns no bytes: these are nobody's in every view."""
    with pqexplore.open(filtered(stated=False)) as file:
        span = file.row_groups[0].columns[0].bloom_filter_span
        data = bytearray(file.bytes(Span(0, file.size)))
    data[span.start : span.start + 4] = b"\xff" * 4
    with pqexplore.open(bytes(data)) as file:
        for level in ("chunks", "pages"):
            table = file.layout(level)
            kinds = dict(zip(table["start"].to_pylist(), table["kind"].to_pylist(), strict=True))
            assert kinds[span.start] == "gap"


@pytest.mark.parametrize("level", ["pages", "chunks"])
def test_an_index_that_ends_outside_of_the_file_owns_no_byte_of_the_footer(level):
    def outside(metadata):
        chunk = metadata.row_groups[0].columns[0]
        chunk.column_index_offset, chunk.column_index_length = chunk.column_index_offset, 1 << 20

    data = with_footer(filtered(), outside)
    with pqexplore.open(data) as file:
        table = file.layout(level)
    ends = list(zip(table["kind"].to_pylist()[-3:], table["end"].to_pylist()[-3:], strict=True))
    assert ends == [("footer", len(data) - 8), ("footer_length", len(data) - 4), ("footer_magic", len(data))]
