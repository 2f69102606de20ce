"""Every place of the package that opens a file for writing is known, and why it cannot destroy a user's file.

The places are found in the syntax trees. A new one fails here until it is listed: best because it uses `output_file`, and
has a writer in `writers.WRITERS`, against which all of `test_targets` runs.
"""

import ast
import re
from pathlib import Path

from writing.writers import WRITERS

import pqexplore

PACKAGE = Path(pqexplore.__file__).parent

ONE_WAY = {"writing", "destination"}
"""What writes to a path that a user names: `output_file.writing`, and what calls it."""

WRITING = {
    *("rename", "renames", "replace", "link", "symlink", "mkfifo", "mknod", "mkdir", "makedirs", "truncate", "dup2"),
    *("copy", "copy2", "copyfile", "copytree", "move", "mkdtemp", "mkstemp", "NamedTemporaryFile"),
    *("TemporaryDirectory", "TemporaryFile", "SpooledTemporaryFile"),
    *("OSFile", "output_stream", "memory_map", "create_memory_map", "new_file", "new_stream", "write_to_dataset"),
    *("memmap", "savez", "FileIO", "fdopen", "ZipFile", "TarFile", "urlretrieve", "extractall", "unpack_archive"),
    *("write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "write_table", "ParquetWriter"),
    *("to_csv", "to_parquet", "to_feather", "to_excel", "to_pickle", "to_hdf", "write_csv", "write_parquet"),
    *("write_html", "write_image", "savefig", "to_file", "put_file", "pipe_file", "upload", "write_deltalake"),
    *("save", "saveAsTable", "insertInto", "sink_parquet", "sink_csv", "mmap"),
}
"""The last words of calls that make, move or replace files."""

NOT_OF_FILES = {"replace", "copy", "rename", "link", "truncate", "save", "move", "mmap"}
"""Of these, words that are also methods of texts, tables and dictionaries: only those of `os`, `shutil` and the like count."""

MODULES = {"os", "shutil", "tempfile", "mmap", "np", "numpy", "files"}


def name_of(call):
    """The dotted name of what is called, as the source has it."""
    words, node = [], call.func
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    words.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(words))


def opens_for_writing(call):
    """Whether a call of some `open` has a mode that writes; of `os.open`, whether its flags may do so."""
    if name_of(call) == "os.open":
        return ast.unparse(call.args[1]) != "os.O_RDONLY"
    modes = [*call.args[:2], *(one.value for one in call.keywords if one.arg == "mode")]
    texts = [str(one.value) for one in modes if isinstance(one, ast.Constant)]
    return any(re.fullmatch("[rwxabt+]*[wax+][rwxabt+]*", text) for text in texts)


def writes(call):
    """Whether a call may make or change a file."""
    name = name_of(call)
    before, _, last = name.rpartition(".")
    if last in ("open", "fdopen"):
        return opens_for_writing(call)
    if last in NOT_OF_FILES:
        return before in MODULES
    return last in WRITING or last in ONE_WAY


def places():
    """`module.function call` of each call of the package that may make or change a file."""
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        waiting = [(ast.parse(path.read_text(encoding="utf-8")), module)]
        while waiting:
            node, place = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                place = f"{place}.{node.name}"
            if isinstance(node, ast.Call) and writes(node):
                found.add(f"{place} {name_of(node)}")
            waiting += [(child, place) for child in ast.iter_child_nodes(node)]
    return found


BY_WRITERS = {
    "cli.explore._write_page page.writing": "--html",
    "cli.diff._page page.writing": "diff --html",
    "cli.lake._page page.writing": "lake --html",
    "cli.page.writing output_file.writing": "--html",
    "cli.rewrite.run writing": "rewrite",
    "cli.salvage.run output_file.writing": "salvage",
    "engine.writer.file.write destination": "pqexplore.write",
    "engine.writer.file.destination writing": "pqexplore.write",
    "engine.writer.rewriting.rewrite destination": "pqexplore.rewrite",
    "engine.writer.data_set.write_summary writing": "pqexplore.write_summary",
    "engine.salvage.salvaged.copy writing": "salvage(…).write",
    "engine.writer.samples.write_sample writing": "samples.write",
    "engine.writer.samples.sample.from_table.write write_table": "pqexplore.write",
    "engine.writer.samples.sample.from_bytes.write destination": "a sample's write",
    "engine.writer.samples.sick.written write_table": "pqexplore.write",
    "insight.lenses.what_if.trials.write_what_if writing": "what-if's export",
}
"""Places that write what a user names, and a writer that goes there."""

MEMORY = "memory, or a temporary file without a name"
TEMPORARY = "a temporary folder of its own"
THERE = "a file in a temporary folder that its caller has made"
OUTPUT = "no file, but standard output or a pipe"
EXAM = "the folder of a self-test, which is refused if it is another one"
RECORD = "the record of the course; a file that is not one stays"
LAKE = "the folder of --out: a name that no other file has, or the store's own record of its runs"
INDEX = "the folder of a metadatastore, which is refused if it holds anything else"
DELTA = "a Delta table, whose earlier version stays in its log"
ONE = "the one way itself"
READ = "nowhere: it reads"

OTHERS = {
    "engine.output_file.writing open": ONE,
    "engine.output_file.require writing": ONE,
    "engine.output_file._rename os.link": ONE,
    "engine.output_file._rename os.rename": ONE,
    "engine.output_file._rename os.replace": ONE,
    "cli.out.Out._end os.open": OUTPUT,
    "cli.out.Out._end os.dup2": OUTPUT,
    "insight.ask.run_engines.polars_process.main os.dup2": OUTPUT,
    "lake.scanning.subprocess_isolation._fork os.fdopen": OUTPUT,
    "lake.scanning.worker.main os.dup2": OUTPUT,
    "lake.scanning.worker.main os.fdopen": OUTPUT,
    "engine.file.local_file.open_regular os.open": READ,
    "insight.doctor.readers.run._table pa.OSFile": READ,
    "engine.file.local_file.drain tempfile.TemporaryFile": MEMORY,
    "engine.salvage._of_arrow pq.ParquetWriter": MEMORY,
    "engine.writer.file.destination tempfile.SpooledTemporaryFile": MEMORY,
    "engine.writer.rewriting.sorted_plan tempfile.SpooledTemporaryFile": MEMORY,
    "engine.writer.sorting.Shelf.put pa.ipc.new_stream": MEMORY,
    "insight.ask.run_engines.polars_process.main tempfile.TemporaryFile": MEMORY,
    "lake.metadatastore.building._ipc pa.ipc.new_stream": MEMORY,
    "lake.metadatastore.building._ipc stream.write_table": MEMORY,
    "lake.rows.reading.Condition._as_file pq.write_table": MEMORY,
    "lake.what_if.sorting._asked pq.write_table": MEMORY,
    "engine.ending.TemporaryFolder.__init__ tempfile.mkdtemp": TEMPORARY,
    "course.chapter_08.index_of_fares tempfile.TemporaryDirectory": TEMPORARY,
    "insight.ask.run_engines.datafusion_process.main tempfile.TemporaryDirectory": TEMPORARY,
    "insight.ask.run_engines.duckdb_process.main tempfile.TemporaryDirectory": TEMPORARY,
    "lake.spark.session.launch tempfile.mkdtemp": TEMPORARY,
    "lake.spark.job.reader.read tempfile.TemporaryDirectory": TEMPORARY,
    "lake.spark.binary_files._reader.read tempfile.TemporaryDirectory": TEMPORARY,
    "insight.ask.run_engines.datafusion_process.Table.open os.symlink": THERE,
    "insight.ask.run_engines.duckdb_process.main os.symlink": THERE,
    "insight.doctor.readers.run._plain_path os.symlink": THERE,
    "insight.doctor.readers.worker._say open": THERE,
    "insight.doctor.readers.worker._write pa.ipc.new_stream": THERE,
    "insight.doctor.readers.worker._write sink.write_table": THERE,
    "insight.on_disk.on_disk open": THERE,
    "lake.scanning.processes._Reader.__init__ open": THERE,
    "lake.store.run_lock.Pulse.__init__ mmap.mmap": THERE,
    "lake.store.run_lock.Pulse.__init__ open": THERE,
    "lake.store.run_lock.Pulse.create open": THERE,
    "lake.store.remote_store.root_for pq.write_table": THERE,
    "course.examination.exam place.mkdir": EXAM,
    "course.examination.exam writing": EXAM,
    "course.questions_of_use._folder folder.mkdir": EXAM,
    "course.questions_of_use.damaged_page writing": EXAM,
    "course.record._write place.parent.mkdir": RECORD,
    "course.record._write writing": RECORD,
    "lake.store.run_lock.Alive.__init__ open": LAKE,
    "lake.store.run_lock.Alive.__init__ os.rename": LAKE,
    "lake.store.part_files.PartWriter._begin os.makedirs": LAKE,
    "lake.store.part_files.PartWriter._begin pq.ParquetWriter": LAKE,
    "lake.store.part_files.save path.parent.mkdir": LAKE,
    "lake.store.part_files.save path.write_bytes": LAKE,
    "lake.store.remote_store.Published._copy path.parent.mkdir": LAKE,
    "lake.store.remote_store.Published._push self._there.put_file": LAKE,
    "lake.store.remote_store.Published.commit self._there.pipe_file": LAKE,
    "lake.store.remote_store.Published.fetch .mkdir": LAKE,
    "lake.store.remote_store.Published.fetch .write_bytes": LAKE,
    "lake.store.remote_store.Published.require_spark .mkdir": LAKE,
    "lake.store.remote_store.Published.require_spark.put self._there.put_file": LAKE,
    "lake.scanning.run.Run._compact os.makedirs": LAKE,
    "lake.scanning.run.Run._compact pq.ParquetWriter": LAKE,
    "lake.spark.job._wave marker.mkdir": LAKE,
    "lake.spark.job.reader.read.task open": LAKE,
    "lake.spark.job.reader.read.task os.rename": LAKE,
    "lake.store.store.Store.begin os.makedirs": LAKE,
    "lake.store.store.Store.supersede pq.write_table": LAKE,
    "lake.store.store.Store.take_over os.rename": LAKE,
    "lake.store.store.Store.take_over os.replace": LAKE,
    "lake.store.store.Store.write path.parent.mkdir": LAKE,
    "lake.store.store.Store.write pq.write_table": LAKE,
    "lake.store.store._replace open": LAKE,
    "lake.store.store._replace os.replace": LAKE,
    "lake.store.unfinished._kept pq.write_table": LAKE,
    "lake.metadatastore.write.StoreWriter.__init__ os.makedirs": INDEX,
    "lake.metadatastore.write.StoreWriter.__init__ os.mkdir": INDEX,
    "lake.metadatastore.write._publish files.makedirs": INDEX,
    "lake.metadatastore.write._publish files.put_file": INDEX,
    "lake.metadatastore.write.collect os.rename": INDEX,
    "lake.metadatastore.write.flip os.rename": INDEX,
    "lake.store.delta_writer.write write_deltalake": DELTA,
}
"""Other places, and where they write."""


def test_each_place_that_writes_is_listed():
    found = places()
    listed = BY_WRITERS.keys() | OTHERS.keys()
    assert found - listed == set(), "list these, best with a writer in writers.WRITERS"
    assert listed - found == set(), "these write no more"


def test_each_place_where_a_user_names_the_file_has_a_writer_that_is_tested():
    assert set(BY_WRITERS.values()) <= WRITERS.keys()


def test_a_new_place_is_found():
    text = """
def save(self, path):
    open(path, "w").write("")
    open(path, mode="xb")
    open(path, encoding="utf-8")
    path.open("a")
    os.open(path, os.O_WRONLY | os.O_CREAT)
    os.open(path, os.O_RDONLY)
    Path(path).write_text("")
    os.replace(path, path)
    text.replace("a", "b")
    pq.write_table(table, path)
    with writing(path) as out:
        pass
"""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and writes(node)]
    assert sorted((node.lineno, name_of(node)) for node in calls) == [
        (3, "open"),
        (4, "open"),
        (6, "path.open"),
        (7, "os.open"),
        (9, ".write_text"),
        (10, "os.replace"),
        (12, "pq.write_table"),
        (13, "writing"),
    ]
