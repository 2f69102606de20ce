"""Column chunks in other files: the footer of a data set (`_metadata`), opened alone and followed."""

import gc
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.file.web import serving
from made import events
from pyarrow import dataset

import pqexplore
from pqexplore.engine.errors import CorruptFileError, ElsewhereError
from pqexplore.engine.file import referenced_files

ROWS = 300


def data_set(folder, paths=("day=1/part.parquet", "day=2/part.parquet", "rest.parquet"), **options):
    """Writes the parts of a table and their `_metadata`, as pyarrow does; returns its path and the table."""
    table, collected = events(ROWS), []
    step = ROWS // len(paths)
    for number, name in enumerate(paths):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = table.slice(number * step, step)
        pq.write_table(part, path, metadata_collector=collected, **options)
        collected[-1].set_file_path(name)
    pq.write_metadata(table.schema, folder / "_metadata", collected)
    return folder / "_metadata", table.slice(0, step * len(paths))


def pointing(folder, path):
    """A `_metadata` of one chunk whose file_path is `path`."""
    collected = []
    pq.write_table(pa.table({"a": [1, 2]}), folder.parent / "secret.parquet", metadata_collector=collected)
    collected[0].set_file_path(path)
    pq.write_metadata(pa.schema({"a": pa.int64()}), folder / "_metadata", collected)
    return folder / "_metadata"


@pytest.mark.parametrize("options", [{}, {"compression": "zstd", "row_group_size": 40}, {"data_page_size": 64}])
def test_a_followed_data_set_reads_as_its_parts(tmp_path, options):
    path, table = data_set(tmp_path, **options)
    with pqexplore.open(path, follow_file_path=True) as file:
        assert file.read().equals(table)
        assert file.read().equals(dataset.parquet_dataset(path).to_table())
        second = [group.index for group in file.row_groups if group.columns[0].elsewhere == "day=2/part.parquet"]
        assert file.read(["id"], second).equals(pq.ParquetFile(tmp_path / "day=2/part.parquet").read(["id"]))
        assert file.other_files == ("day=1/part.parquet", "day=2/part.parquet", "rest.parquet")
        assert file.bytes_read > file.source.bytes_read


def test_pages_indexes_and_bytes_of_a_followed_chunk(tmp_path):
    path, _ = data_set(tmp_path, write_page_index=True, compression="none")
    with pqexplore.open(path, follow_file_path=True) as file, pqexplore.open(tmp_path / "rest.parquet") as part:
        chunk, own = file.row_groups[2].columns[0], part.row_groups[0].columns[0]
        assert [page.values.to_pylist() for page in chunk.pages] == [page.values.to_pylist() for page in own.pages]
        assert chunk.column_index == own.column_index
        assert chunk.offset_index == own.offset_index
        span = chunk.pages[0].span
        assert (span.start, span.end, span.space) == (
            own.pages[0].span.start,
            own.pages[0].span.end,
            "elsewhere:rest.parquet",
        )
        assert file.bytes(span) == part.bytes(own.pages[0].span)
        assert file.space_size(span.space) == part.size
        assert file.row_groups[2].span is None
        section = chunk.pages[-1].body.section("values")
        assert section.span.space != "file"
        assert file.bytes(section.span) == bytes(section.data)


def test_a_data_set_that_is_not_followed_says_where_its_chunks_lie(tmp_path):
    path, _ = data_set(tmp_path, write_page_index=True)
    with pqexplore.open(path) as file:
        chunk = file.row_groups[0].columns[0]
        for ask in (
            file.read,
            lambda: chunk.pages,
            lambda: chunk.span,
            lambda: chunk.column_index,
            lambda: file.node(f"{chunk.address}/pages/0"),
        ):
            with pytest.raises(
                ElsewhereError, match="lies in another file, 'day=1/part.parquet'; open that file"
            ) as raised:
                ask()
            assert raised.value.address == chunk.address
        assert "follow_file_path=True" in str(pytest.raises(ElsewhereError, file.read).value)
        assert chunk.metadata.num_values == ROWS // 3


@pytest.mark.parametrize("follow", [False, True])
def test_the_tree_the_layout_and_the_check_of_a_data_set(tmp_path, follow):
    path, _ = data_set(tmp_path, write_page_index=True)
    with pqexplore.open(path, follow_file_path=follow) as file:
        for level in ("pages", "chunks"):
            assert file.layout(level)["kind"].to_pylist() == ["magic", "footer", "footer_length", "footer_magic"]
        node = file.node("row_groups/0/columns/0")
        assert (node.state, node.span, [child.name for child in node.children]) == ("ok", None, ["metadata"])
        assert [fact.value for fact in node.facts if fact.name == "file"] == ["day=1/part.parquet"]
        found = {(one.rule, one.severity.level) for one in file.check()}
        found.discard(("row-group-ordinal", "warning"))  # pyarrow 14 numbers them all 0
        assert found == {("pages-elsewhere", "note")}


OUTSIDE = {
    "../secret.parquet": "it leads out of the folder",
    "sub/../../secret.parquet": "it leads out of the folder",
    "sub/../inside.parquet": "it leads out of the folder",
    "ABSOLUTE": "it is an absolute path",
    "C:/secret.parquet": "it is an absolute path",
    "file:///secret.parquet": "it is a URL",
    "https://example.org/secret.parquet": "it is a URL",
    "simplecache::secret.parquet": "it is a URL",
    "..\\secret.parquet": "a character that paths do not have",
    "./inside.parquet": "it is not a plain path",
    "sub//inside.parquet": "it is not a plain path",
    "link.parquet": "a symbolic link leads out of the folder",
    "sub/up/secret.parquet": "a symbolic link leads out of the folder",
    "missing.parquet": "it cannot be opened: No such file or directory",
    "sub": "is a folder",
    "pipe": "it cannot be opened",
    "notes.txt": "it does not begin as a Parquet file does",
}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "table"
    (folder / "sub").mkdir(parents=True)
    pq.write_table(pa.table({"a": [1, 2]}), folder / "inside.parquet")
    (folder / "notes.txt").write_text("not a Parquet file")
    (folder / "link.parquet").symlink_to(tmp_path / "secret.parquet")
    (folder / "sub/up").symlink_to(tmp_path)
    (folder / "sub/same").symlink_to(folder)
    (folder / "here.parquet").symlink_to("inside.parquet")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_of_the_folder_is_opened(folder, path):
    target = str(folder.parent / "secret.parquet") if path == "ABSOLUTE" else path
    with (
        pqexplore.open(pointing(folder, target), follow_file_path=True) as file,
        pytest.raises(ElsewhereError, match=OUTSIDE[path]),
    ):
        file.read()


@pytest.mark.parametrize("path", ["inside.parquet", "here.parquet", "sub/same/inside.parquet"])
def test_files_and_links_inside_of_the_folder_are_followed(folder, path):
    with pqexplore.open(pointing(folder, path), follow_file_path=True) as file:
        assert file.read().to_pydict() == {"a": [1, 2]}


def test_a_source_without_a_folder_is_not_followed(folder):
    data = pointing(folder, "inside.parquet").read_bytes()
    with pqexplore.open(data, follow_file_path=True) as file, pytest.raises(ElsewhereError, match="has no folder"):
        file.read()


def test_file_systems_with_and_without_links(folder):
    fsspec = pytest.importorskip("fsspec")
    from pyarrow import fs

    memory = fsspec.filesystem("memory")
    memory.pipe("/ns/_metadata", pointing(folder, "inside.parquet").read_bytes())
    memory.pipe("/ns/inside.parquet", (folder / "inside.parquet").read_bytes())
    with pqexplore.open("/ns/_metadata", filesystem=memory, follow_file_path=True) as file:
        assert file.read().num_rows == 2
    part = fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem())
    with (
        pqexplore.open("_metadata", filesystem=part, follow_file_path=True) as file,
        pytest.raises(ElsewhereError, match="has no folder"),
    ):
        file.read()


def test_the_footer_of_a_remote_file_that_is_followed_is_not_read(folder):
    data = pointing(folder, "inside.parquet").read_bytes()
    other = (folder / "inside.parquet").read_bytes()
    with serving(data) as server, pqexplore.open(server.url("ranges/_metadata"), follow_file_path=True) as file:
        server.data = other
        assert file.row_groups[0].columns[0].home.size == len(other)
        assert server.sent == len(data) + 8 + 4  # the end, for the size, and the magic
        assert file.read().to_pydict() == {"a": [1, 2]}


def test_an_offset_beyond_the_other_file_is_damage(folder):
    path = pointing(folder, "inside.parquet")
    (folder / "inside.parquet").write_bytes(b"PAR1" + bytes(8))
    with pqexplore.open(path, follow_file_path=True) as file, pytest.raises(CorruptFileError, match="the file has 12"):
        file.read()


def test_few_files_stay_open(tmp_path, monkeypatch):
    monkeypatch.setattr(referenced_files, "MAX_OPEN", 3)
    path, table = data_set(tmp_path, [f"{n}.parquet" for n in range(10)])

    def descriptors():
        gc.collect()
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    before = descriptors()
    with pqexplore.open(path, follow_file_path=True) as file:
        assert file.read().equals(table)
        assert descriptors() <= before + 4
    assert descriptors() <= before  # what other tests left open may be closed meanwhile


def test_a_data_set_of_the_corpus(corpus):
    folder = corpus / "dask__fastparquet/test-data/split"
    with pqexplore.open(folder / "_metadata", follow_file_path=True) as file:
        parts = [pq.ParquetFile(folder / name).read() for name in file.other_files]
        assert len(parts) == 48
        assert file.read().equals(pa.concat_tables(parts).cast(file.read().schema))
