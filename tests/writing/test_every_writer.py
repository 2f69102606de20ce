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
    "cli.explore._write_page html_page.writing": "--html",
    "cli.diff._page html_page.writing": "diff --html",
    "cli.lake._page html_page.writing": "lake --html",
    "cli.html_page.writing output_file.writing": "--html",
    "cli.rewrite.run writing": "rewrite",
    "cli.salvage.run output_file.writing": "salvage",
    "engine.writer.file.write destination": "pqexplore.write",
    "engine.writer.file.destination writing": "pqexplore.write",
    "engine.writer.rewriting.rewrite destination": "pqexplore.rewrite",
    "engine.writer.data_set.write_summary writing": "pqexplore.write_summary",
    "engine.salvage.salvaged.copy writing": "salvage(…).write",
    "engine.writer.samples.write_sample writing": "samples.write",
    "engine.writer.samples.sample_file.from_table.write write_table": "pqexplore.write",
    "engine.writer.samples.sample_file.from_bytes.write destination": "a sample's write",
    "engine.writer.samples.sick.written write_table": "pqexplore.write",
    "insight.lenses.what_if.trials.write_what_if writing": "what-if's export",
}
"""Places that write what a user names, and a writer that goes there."""


def other_places():
    """Other places; the heading above each in `places.txt` says where it writes."""
    lines = (Path(__file__).parent / "places.txt").read_text(encoding="utf-8").splitlines()[1:]
    return {line for line in lines if line and not line.startswith("#")}


def test_each_place_that_writes_is_listed():
    found = places()
    listed = BY_WRITERS.keys() | other_places()
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
