"""What is no file is refused at once; what comes through a pipe is read to its end."""

import contextlib
import io
import os
import pty
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest
from fsspec.registry import known_implementations
from made import events, parquet
from pyarrow import fs

import pqexplore
from pqexplore.cli import UNREADABLE, USAGE, main
from pqexplore.engine.errors import LimitExceededError, NotParquetError, UsageError
from pqexplore.engine.file import local_file
from pqexplore.engine.file.opening import open_source
from pqexplore.lake import metadatastore, scan

ROOT = Path(__file__).resolve().parents[3]
FILE = parquet(events(2000))


@contextlib.contextmanager
def at_once(seconds: int = 20):
    """Fails where something waits for ever."""

    def alarm(*_):
        raise AssertionError(f"still waiting after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, alarm)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def fifo(tmp_path):
    path = tmp_path / "x.parquet"
    os.mkfifo(path)
    return path


@pytest.fixture
def special(fifo, tmp_path):
    """Paths of what is no file, by kind."""
    here = socket.socket(socket.AF_UNIX)
    here.bind(str(tmp_path / "s.parquet"))
    (tmp_path / "link.parquet").symlink_to(fifo)
    with here:
        yield {
            "named pipe": fifo,
            "socket": tmp_path / "s.parquet",
            "character device": "/dev/zero",
            "link": tmp_path / "link.parquet",
        }


# kind | what the message says
KINDS = [
    ("named pipe", "is a named pipe, not a file; copy what it gives to a file, or send it to"),
    ("socket", "is a socket, not a file"),
    ("character device", "is a character device, not a file"),
    ("link", "is a named pipe, not a file"),
]


@pytest.mark.parametrize(("kind", "words"), KINDS)
@pytest.mark.parametrize("opened", [pqexplore.open, pqexplore.salvage, open_source])
def test_pipes_sockets_and_devices_are_refused_at_once(special, kind, words, opened):
    with at_once(), pytest.raises(NotParquetError, match=words) as caught:
        opened(special[kind])
    assert str(caught.value).startswith(str(special[kind]))
    assert caught.value.offset == 0


@pytest.mark.parametrize(
    ("mode", "kind", "words"),
    [
        (stat.S_IFBLK, NotParquetError, "block device.*copy its content"),
        (stat.S_IFDIR, UsageError, "is a folder"),
        (0, NotParquetError, "not a regular file"),
    ],
)
def test_modes_of_special_files_are_refused(mode, kind, words):
    with pytest.raises(kind, match=words):
        local_file.refuse_special(mode, "x")


def test_a_path_that_becomes_a_pipe_while_opening_is_refused(fifo, monkeypatch):
    regular = os.stat(__file__)
    monkeypatch.setattr(os, "stat", lambda path: regular)
    with at_once(), pytest.raises(NotParquetError, match="named pipe"):
        pqexplore.open(fifo)


@pytest.mark.parametrize(
    "filesystem",
    [fs.LocalFileSystem(), fsspec.filesystem("file"), fs.SubTreeFileSystem("/", fs.LocalFileSystem())],
    ids=["arrow", "fsspec", "arrow subtree"],
)
def test_file_systems_of_this_machine_refuse_it_as_well(fifo, filesystem):
    with at_once(), pytest.raises(NotParquetError, match=r"is (a named pipe|not a regular file)"):
        pqexplore.open(str(fifo), filesystem=filesystem)
    with at_once(), pytest.raises(UsageError, match="is a folder"):
        pqexplore.open(str(fifo.parent), filesystem=filesystem)


def arrow_opens(scheme):
    try:
        fs.FileSystem.from_uri(f"{scheme}:///")
    except pa.ArrowInvalid:
        return False
    return True


@pytest.mark.parametrize("scheme", ["file", "local"])
def test_urls_of_this_machine_refuse_it_as_well(fifo, scheme):
    if scheme in ("file", *known_implementations) or arrow_opens(scheme):
        refusal = pytest.raises(NotParquetError, match="is a named pipe")
    else:  # old versions of fsspec and pyarrow do not know `local`
        refusal = pytest.raises(UsageError, match="cannot be opened")
    with at_once(), refusal:
        pqexplore.open(f"{scheme}://{fifo}")


def test_siblings_are_files(fifo):
    """Key material is read from a file beside: a name in the footer leads there."""
    (fifo.parent / "folder").mkdir()
    (fifo.parent / "a").write_bytes(b"one")
    with at_once():
        source = open_source(fifo.parent / "a")
        assert [source.sibling(name) for name in ("x.parquet", "folder", "none")] == [None] * 3


@pytest.mark.parametrize("processes", [0, 1])
def test_a_special_file_in_a_lake_has_a_row_with_the_reason(special, tmp_path, processes):
    (tmp_path / "good.parquet").write_bytes(FILE)
    (tmp_path / "stdin.parquet").symlink_to("/dev/stdin")
    with at_once(60):
        lake = scan(None, tmp_path, out=tmp_path / "out", processes=processes)
    rows = {
        os.path.basename(row["path"]): (row["status"], row["error_code"])
        for row in lake.dataset("files").to_table().to_pylist()
    }
    refused = ("error", "not-parquet")
    assert rows.pop("stdin.parquet")[0] == "error"
    assert rows == {"good.parquet": ("ok", None), "x.parquet": refused, "s.parquet": refused, "link.parquet": refused}


def test_standard_input_is_not_a_file_of_a_lake(tmp_path):
    with at_once(60):
        lake = scan(None, ["/dev/stdin", "/dev/fd/0"], out=tmp_path / "out", processes=1)
    assert {row["status"] for row in lake.dataset("files").to_table().to_pylist()} == {"error"}


def test_a_pipe_as_a_metadatastore_is_refused(fifo, tmp_path):
    with at_once():
        assert not metadatastore.is_store(tmp_path)
        with pytest.raises(NotParquetError, match="named pipe"):
            metadatastore.open(tmp_path)


def test_a_key_file_by_descriptor_is_read_and_a_named_pipe_refused(fifo, capsys, tmp_path):
    (tmp_path / "good.parquet").write_bytes(FILE)
    words = [str(tmp_path / "good.parquet"), "--footer-key-file"]
    with at_once():
        assert main([*words, str(fifo)]) == USAGE
    assert "is a named pipe" in capsys.readouterr().err
    reader, writer = os.pipe()
    os.write(writer, b"0123456789012345")
    os.close(writer)
    assert main([*words, f"/dev/fd/{reader}"]) == 0
    os.close(reader)


# Streams.


def piped(data: bytes) -> int:
    """The reading end of a pipe that a process of its own fills."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    process.stdin.write(data)
    process.stdin.close()
    return os.dup(process.stdout.fileno())


@pytest.mark.parametrize("in_memory", [64 << 20, 1000], ids=["in memory", "temporary file"])
@pytest.mark.parametrize("place", ["/dev/fd/{}", "/proc/self/fd/{}"])
def test_a_pipe_is_read_to_its_end(monkeypatch, in_memory, place):
    monkeypatch.setattr(local_file, "STREAM_IN_MEMORY", in_memory)
    descriptor = piped(FILE)
    with at_once(), pqexplore.open(place.format(descriptor)) as file:
        assert file.size == len(FILE) == file.bytes_read
        assert file.read()["id"].to_pylist() == list(range(2000))
        assert file.name == place.format(descriptor)
    os.close(descriptor)


def test_a_descriptor_of_a_file_is_that_file(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(FILE)
    with path.open("rb") as opened:
        opened.read(100)  # where the descriptor stands does not matter
        with pqexplore.open(f"/dev/fd/{opened.fileno()}") as file:
            assert file.num_rows == 2000
            assert file.bytes_read < file.size or file.size < 64 << 10
        assert opened.tell() == 100


def test_a_stream_without_end_has_a_limit(monkeypatch):
    monkeypatch.setattr(local_file, "STREAM_IN_MEMORY", 1 << 20)
    monkeypatch.setattr(local_file, "STREAM_BYTES", 3 << 20)
    words = "more than 3,145,728 bytes; write them to a file"
    with open("/dev/zero", "rb") as zeros, at_once(), pytest.raises(LimitExceededError, match=words):
        pqexplore.open(f"/dev/fd/{zeros.fileno()}")


def test_a_nonblocking_pipe_is_read_to_its_end():
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    child = subprocess.Popen(
        [sys.executable, "-c", f"import os, time; time.sleep(0.3); os.write({writer}, b'PAR1')"], pass_fds=[writer]
    )
    os.close(writer)
    with at_once():
        assert bytes(open_source(f"/dev/fd/{reader}").read(0, 4)) == b"PAR1"
    child.wait()
    os.close(reader)


def test_a_terminal_is_refused():
    ours, theirs = pty.openpty()
    with at_once(), pytest.raises(UsageError, match="is a terminal; send a file to it"):
        pqexplore.open(f"/dev/fd/{theirs}")
    os.close(ours)
    os.close(theirs)


def test_a_closed_descriptor_and_one_of_a_folder_raise(tmp_path):
    with pytest.raises(FileNotFoundError, match="/dev/fd/987654 is not open in this process"):
        pqexplore.open("/dev/fd/987654")
    folder = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(UsageError, match="is a folder"):
        pqexplore.open(f"/dev/fd/{folder}")
    os.close(folder)


class Stream(io.RawIOBase):
    """A file object that cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, room):
        return self._data.readinto(room)


def test_a_file_object_that_cannot_seek_is_read_to_its_end():
    with pqexplore.open(Stream(FILE)) as file:
        assert file.num_rows == 2000
    with pytest.raises(NotParquetError, match="file object is empty: nothing was sent to it"):
        pqexplore.open(Stream(b""))


# The command line, where a shell sets up standard input. | shell line | status | what it prints
SHELL = [
    ("cat x.parquet | {} -", 0, "2,000 rows"),
    ("cat x.parquet | {} /dev/stdin", 0, "2,000 rows"),
    ("{} - < x.parquet", 0, "2,000 rows"),
    ("{} <(cat x.parquet)", 0, "2,000 rows"),
    ("cat x.parquet | {} - --check --json", 0, '"name": "standard input"'),
    ("{} - < /dev/null", UNREADABLE, "standard input is empty: nothing was sent to it"),
    ("true | {} -", UNREADABLE, "standard input is empty"),
    ("{} - <&-", UNREADABLE, "standard input is not open"),
    ("echo no parquet file | {} -", UNREADABLE, "standard input does not end in PAR1"),
]


@pytest.mark.parametrize(("line", "status", "words"), SHELL)
def test_the_command_reads_standard_input(tmp_path, line, status, words):
    (tmp_path / "x.parquet").write_bytes(FILE)
    command = f"'{sys.executable}' -m pqexplore"
    run = subprocess.run(["bash", "-c", line.format(command)], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60)  # fmt: skip
    assert run.returncode == status, run.stderr
    assert words in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
