"""No command and no function destroys a file: each writer, against each target that it must refuse, and each bad end.

`WRITERS` are the ways in which a user has a file written.
What needs a process of its own (signals, a full disk) runs `writers.py` as a program.
"""

import errno
import hashlib
import io
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from writing import writers

import pqexplore
from pqexplore.cli import USAGE, main
from pqexplore.engine import output_file
from pqexplore.engine.errors import TargetError
from pqexplore.engine.output_file import writing

ROOT = Path(__file__).resolve().parents[2]
NAMES = list(writers.WRITERS)
READING = [name for name in NAMES if writers.WRITERS[name].reads]
# All go through `output_file.writing` (test_every_writer.py). What takes a process for each is run for some of them.
SOME = [
    name if name in ("--html", "rewrite", "lake --html") else pytest.param(name, marks=pytest.mark.full)
    for name in NAMES
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with the files that the writers read."""
    writers.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def state(folder):
    """All entries of a folder, and the bytes of its files."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        name = str(path.relative_to(folder))
        regular = stat.S_ISREG(mode)
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if regular else stat.S_IFMT(mode)
    return found


def refused(name, target, folder, *, force=False):
    """The words with which a writer refuses a target; nothing of the folder has changed."""
    before = state(folder)
    said = writers.refusal(name, target, force=force)
    assert state(folder) == before
    return said


@pytest.mark.parametrize("force", [False, True], ids=["", "force"])
@pytest.mark.parametrize("how", ["itself", "symbolic link", "hard link"])
@pytest.mark.parametrize("name", READING)
def test_a_source_is_never_replaced(folder, name, how, force):
    source = writers.WRITERS[name].reads
    target = source if how == "itself" else "other.parquet"
    if how == "symbolic link":
        os.symlink(source, target)
    elif how == "hard link":
        os.link(source, target)
    said = refused(name, target, folder, force=force)
    assert target in said and "is a file that is read, and is not replaced" in said


def _salvaged(schema, target):
    with pqexplore.open(schema) as other:
        pqexplore.salvage("cut.parquet", schema=other).write(target, overwrite=True)


def _followed(target):
    with pqexplore.open("_metadata", follow_file_path=True) as whole:
        pqexplore.rewrite(whole, target, overwrite=True)


def _moved(target, folder):
    with pqexplore.open("source.parquet") as file:
        os.chdir(folder)
        pqexplore.rewrite(file, target, overwrite=True)


@pytest.mark.parametrize(
    ("target", "run"),
    [
        ("second.parquet", ["diff", "second.parquet", "source.parquet", "--html", "second.parquet"]),
        ("key", ["source.parquet", "--footer-key-file", "key", "--html", "key"]),
        ("key", ["source.parquet", "--column-key", "a=key", "--html", "key"]),
        ("key", ["rewrite", "source.parquet", "--footer-key-file", "key", "key"]),
        ("second.parquet", ["salvage", "cut.parquet", "second.parquet", "--schema", "second.parquet"]),
        ("second.parquet", ["lake", "--processes", "0", "*.parquet", "--report", "--html", "second.parquet"]),
        ("000000_0", ["lake", "--processes", "0", ".", "--report", "--html", "000000_0"]),
        ("second.parquet", lambda: _salvaged("second.parquet", "second.parquet")),
        ("source.parquet", lambda: _followed("source.parquet")),
        ("../source.parquet", lambda: _moved("../source.parquet", "below")),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_nothing_that_is_read_is_replaced(folder, target, run):
    """What is read beside the first file: a second one, keys, a schema, the files of a data set or a folder."""
    Path("key").write_bytes(bytes(16))
    Path("below").mkdir()
    Path("000000_0").write_bytes(Path("source.parquet").read_bytes())  # Hive names files so
    pqexplore.write_summary(["source.parquet"], "_metadata")
    before = state(folder)
    if isinstance(run, list):
        assert main([*run, "--force"]) == USAGE
    else:
        with pytest.raises(TargetError, match="is a file that is read, and is not replaced"):
            run()
    assert state(folder) == before


@pytest.mark.parametrize("given", ["*.parquet", "."])
def test_a_page_is_of_one_file(folder, given, capsys):
    """A pattern stands for several files, and the page of one replaced another one."""
    before = state(folder)
    with pytest.raises(SystemExit) as end:
        main([given, "--html", "source.parquet", "--force"])
    assert end.value.code == USAGE
    assert "--html takes one FILE" in capsys.readouterr().err
    assert state(folder) == before


def test_a_page_replaces_no_parquet_file(folder, capsys):
    before = state(folder)
    assert main(["source.parquet", "--html", "second.parquet", "--force"]) == USAGE
    assert "second.parquet is a Parquet file, which a page does not replace" in capsys.readouterr().err
    assert state(folder) == before


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("a\0b", "names no file: it has a NUL character"),
        ("", "names no file"),
        ("below/", "names no file; name one in the folder"),
        ("s3://bucket/new.parquet", "is a URL, and only files of this machine are written"),
    ],
)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "what-if's export"])
def test_what_names_no_file_is_refused(folder, name, target, words):
    assert words in refused(name, target, folder)


def test_a_file_is_rewritten_to_a_path(folder):
    with pytest.raises(pqexplore.UsageError, match="target is a path, not BytesIO"):
        pqexplore.rewrite("source.parquet", io.BytesIO())


@pytest.mark.parametrize("name", NAMES)
def test_an_existing_file_is_replaced_only_if_that_is_asked(folder, name):
    writer = writers.WRITERS[name]
    target = f"target{writer.ending}"
    Path(target).write_bytes(b"mine")
    os.chmod(target, 0o600)
    said = refused(name, target, folder)
    assert target in said and "already" in said or "is not replaced" in said
    if writer.force:
        writer.run(target, True)
        assert Path(target).read_bytes() != b"mine"
        assert stat.S_IMODE(os.stat(target).st_mode) == 0o600  # it stays as private as it was


@pytest.mark.parametrize("target", ["second.parquet", "below/new"])
@pytest.mark.parametrize("name", [name for name in READING if name != "what-if's export"])
def test_a_target_is_refused_before_its_source_is_read(folder, name, target, monkeypatch):
    """The source was opened, read and shown first, and its name was in the error. Here it cannot even be opened."""
    writer = writers.WRITERS[name]
    salvaged = pqexplore.salvage("cut.parquet") if name == "salvage(…).write" else None
    monkeypatch.setattr(pqexplore, "salvage", lambda _: salvaged)
    Path(writer.reads).write_bytes(b"no Parquet file")
    if name == "pqexplore.write":  # it is given what was read
        pytest.skip("the caller opens the source")
    said = refused(name, target, folder)
    assert target in said and writer.reads not in said


@pytest.mark.parametrize("force", [False, True], ids=["", "force"])
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("named pipe", "is a named pipe"),
        ("folder", "is a folder"),
        ("symbolic link", "is a symbolic link"),
        ("dangling link", "is a symbolic link"),
        ("device", "is a device"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_file_is_refused(folder, name, kind, words, force):
    target = f"target{writers.WRITERS[name].ending}"
    if kind == "named pipe":
        os.mkfifo(target)
    elif kind == "folder":
        os.mkdir(target)
    elif kind == "device":
        if name == "what-if's export":
            pytest.skip("it takes a plain name in the present folder")
        target = "/dev/null"
    else:
        if kind == "symbolic link":
            Path("elsewhere").write_bytes(b"mine")
        os.symlink("elsewhere", target)
    said = refused(name, target, folder, force=force)
    assert target in said and words in said


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_without_the_right_to_write_is_named_before_the_work(folder, name, monkeypatch):
    """Root may write everywhere, so opening a file for writing there fails as it does for others."""
    target = f"target{writers.WRITERS[name].ending}"
    real = open

    def refusing(path, mode="r", *more, **options):
        if "x" in mode:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, mode, *more, **options)

    monkeypatch.setattr(output_file, "open", refusing, raising=False)
    said = refused(name, target, folder)
    assert target in said and "Permission denied" in said and ".partial" not in said


@pytest.mark.parametrize("name", SOME)
def test_a_full_disk_leaves_nothing(folder, name):
    """RLIMIT_FSIZE holds for root, too: no file may be larger than 1 kB. The error is that of a full disk but for its number."""
    before = state(folder)
    ended = subprocess.run([sys.executable, writers.__file__, "--limit", "1000", "--", name], env=writers.environment(),
        capture_output=True, text=True, timeout=300)  # fmt: skip
    if name == "lake --html":  # the tables of the scan, in a temporary folder, are the first that do not fit
        assert ended.returncode == 3 and "the disk is full" in ended.stderr
    else:
        assert ended.returncode != 0 and "File too large" in ended.stderr
        assert f"target{writers.WRITERS[name].ending}" in ended.stderr.splitlines()[-1]
    assert state(folder) == before


@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", SOME)
def test_a_signal_leaves_nothing(folder, name, signal_name):
    """The process gets the signal when the temporary file is there and has some bytes."""
    before = state(folder)
    with subprocess.Popen(
        [sys.executable, writers.__file__, "--slow", "--", name],
        env=writers.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            number = getattr(signal, signal_name)
            wait_for_partial(folder, process)
            process.send_signal(number)
            _, said = process.communicate(timeout=300)
        finally:
            process.kill()  # leaving `with` waits for the process without a limit
    assert process.returncode in (-number, 130 if signal_name == "SIGINT" else -number), said
    assert state(folder) == before


def wait_for_partial(folder, process):
    for _ in range(30_000):  # minutes: a slow machine is only slow
        if any(one.stat().st_size for one in folder.glob(".*.partial")):
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    pytest.fail("no temporary file has appeared")


# What a table over the writers cannot show.


def test_a_name_that_is_taken_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "page.html"
    with pytest.raises(FileExistsError), writing(target) as out:
        out.write(b"page")
        target.write_bytes(b"mine")
    assert target.read_bytes() == b"mine" and os.listdir(tmp_path) == ["page.html"]


def test_a_link_that_appears_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "page.html"
    with pytest.raises(TargetError, match="symbolic link"), writing(target, overwrite=True) as out:
        out.write(b"page")
        target.symlink_to("elsewhere")
    assert target.is_symlink() and os.listdir(tmp_path) == ["page.html"]


def test_file_systems_without_hard_links(tmp_path, monkeypatch):
    def no_links(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    with writing(tmp_path / "page.html") as out:
        out.write(b"page")
    assert (tmp_path / "page.html").read_bytes() == b"page"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_name_of_the_longest_length(tmp_path):
    target = tmp_path / ("é" * 125 + ".html")
    with writing(target) as out:
        out.write(b"page")
    assert target.read_bytes() == b"page"


def test_a_sample_that_is_there_already_stays(tmp_path, capsys):

    path = tmp_path / "events.parquet"
    pqexplore.samples.write("events", path)
    before = os.stat(path)
    pqexplore.samples.write("events", path)
    assert main(["sample", "events", str(path)]) == 0
    assert "already there: " in capsys.readouterr().out
    assert os.stat(path).st_mtime_ns == before.st_mtime_ns
    pqexplore.write(pa.table({"a": [1]}), path, overwrite=True)
    with pytest.raises(FileExistsError):
        pqexplore.samples.write("events", path)


def test_a_record_of_the_course_replaces_no_other_file(folder, monkeypatch):
    """PQEXPLORE_COURSE named a user's file: the record of exercises replaced it."""
    from pqexplore.course import record

    before = state(folder)
    monkeypatch.setenv("PQEXPLORE_COURSE", str(folder / "source.parquet"))
    monkeypatch.setattr(record, "_HERE", {})
    record.keep("1.1", True)
    assert record.all_tried()["1.1"].solved
    assert state(folder) == before
    monkeypatch.setenv("PQEXPLORE_COURSE", str(folder / "new" / "course.json"))
    record.keep("1.1", True)
    assert record._HERE == {} and record.all_tried()["1.1"].solved


@pytest.mark.parametrize("out", ["source.parquet", "source.parquet/below"])
def test_out_that_is_a_file_is_refused_before_the_scan(folder, out, capsys):
    """It was a NotADirectoryError after the listing."""

    before = state(folder)
    assert main(["lake", "--processes", "0", ".", "--out", out]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"pqexplore: {out} ") and "not a folder" in said
    for write in (
        lambda: pqexplore.lake.metadatastore.build(None, ".", [], out),
        lambda: pqexplore.lake.scan(None, ".", processes=0).to_delta(out),
    ):
        with pytest.raises(pqexplore.UsageError, match="not a folder"):
            write()
    assert state(folder) == before


def test_out_without_the_right_to_write_is_refused_before_the_scan(folder, monkeypatch, capsys):
    """Root may write everywhere, so the question for the right is answered with no."""

    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert main(["lake", "--processes", "0", ".", "--out", "stored"]) == 2
    assert "stored cannot be written: there is no right to write in" in capsys.readouterr().err


def test_a_delta_table_of_a_user_is_not_replaced(folder):
    """`to_delta` wrote the lake's table `files` as a new version of a user's table of that name."""
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake("lake/files", pa.table({"path": ["mine"]}))
    with pqexplore.lake.scan(None, "lake", processes=0) as lake:
        with pytest.raises(TargetError, match="lake/files is a Delta table of other columns"):
            lake.to_delta("lake")
        assert os.listdir("lake") == ["files"]
        assert deltalake.DeltaTable("lake/files").version() == 0
        lake.to_delta("ours")
        lake.to_delta("ours")
        assert deltalake.DeltaTable("ours/files").version() == 1


@pytest.mark.parametrize("text", ["mine", '{"run_id": 1}'])
def test_the_pointer_of_a_store_replaces_no_file_of_a_user(folder, text, capsys):
    Path("stored").mkdir()
    Path("stored/current.json").write_text(text)
    assert main(["lake", "--processes", "0", ".", "--out", "stored"]) == USAGE
    assert "stored/current.json is not of a stored scan, and is not replaced" in capsys.readouterr().err
    assert Path("stored/current.json").read_text() == text and os.listdir("stored") == ["current.json"]
