"""Ctrl-C is never lost: not before the command begins, and not inside an import, where an exception can be swallowed.

`rewrite` went on after a Ctrl-C in its first 100 ms, and wrote its file: pyarrow ignores what the import of pandas raises.
"""

import contextlib
import os
import signal
import subprocess
import sys

import pytest
from quick import quick
from writing import interrupted, writers

from pqexplore.cli import INTERRUPTED
from pqexplore.cli.verbs import VERBS
from pqexplore.engine import ending


def ended(folder, module, words, temporary, *, by="SIGINT", there=""):
    """The exit status of a command that gets a signal while it imports a module.

    It leaves nothing in the folder, nor in that of temporary files, where `there` was before.
    """
    before = sorted(os.listdir(folder))
    run = subprocess.run([sys.executable, interrupted.__file__, by, module, *words],
        env=writers.environment() | {"TMPDIR": str(temporary)}, cwd=folder, capture_output=True, text=True, timeout=120)  # fmt: skip
    assert run.stderr.startswith("interrupted;") and there in run.stderr, run.stderr
    assert "Traceback" not in run.stderr
    assert sorted(os.listdir(folder)) == before
    assert os.listdir(temporary) == []
    return run.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return writers.prepare(tmp_path_factory.mktemp("interrupted"))


@pytest.mark.parametrize("verb", quick(VERBS, "check", "rewrite", "diff", "ask", "lake"))
def test_ctrl_c_in_the_first_import_of_a_verb_ends_it(folder, verb, tmp_path):
    module = f"pqexplore.cli.{VERBS[verb].module}"
    words = {"sample": ["events", "new"], "completion": ["bash"], "explain": ["page"], "lake": ["."], "index": ["."]}
    files = {"rewrite": ["source.parquet", "new"], "salvage": ["cut.parquet", "new"]}
    both = {"diff": ["source.parquet", "second.parquet"], "ask": ["source.parquet", "TRUE"]}
    given = (words | files | both).get(verb, ["source.parquet"])
    assert ended(folder, module, [verb, *given], tmp_path) == INTERRUPTED


REWRITE = ["rewrite", "source.parquet", "new"]


@pytest.mark.parametrize(
    ("module", "status"),
    [
        ("pqexplore.cli", -signal.SIGINT),  # the command has not begun
        ("argparse", -signal.SIGINT),
        ("pyarrow", INTERRUPTED),
        ("pandas", INTERRUPTED),
        ("numpy", INTERRUPTED),
        ("pqexplore.engine.output_file", INTERRUPTED),
        ("pqexplore.engine.writer.rewriting", INTERRUPTED),
    ],
)
def test_ctrl_c_in_an_import_of_rewrite_ends_it_without_a_file(folder, module, status, tmp_path):
    assert ended(folder, module, REWRITE, tmp_path) == status


@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize(
    ("module", "words", "there"),
    [
        ("pqexplore.lake.doctor.diagnosis_text", ["lake", ".", "--processes", "1"], "pqexplore-"),
        ("pqexplore.insight.doctor.readers.file_readers", ["doctor", "--readers", "run", "source.parquet"], ""),
    ],
    ids=["lake", "readers"],
)
def test_a_signal_leaves_no_temporary_folder(folder, module, words, there, by, tmp_path):
    status = ended(folder, module, words, tmp_path, by=by, there=there)
    assert status == (INTERRUPTED if by == "SIGINT" else -getattr(signal, by))


def test_a_signal_leaves_no_half_of_an_index(tmp_path):
    writers.prepare(tmp_path)
    code = """
import os, signal
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import write

def ends(fresh, target):
    print(len(os.listdir(fresh)))
    os.kill(os.getpid(), signal.SIGTERM)

signal.signal(signal.SIGTERM, signal.SIG_DFL)
write.flip = ends
metadatastore.build(None, "source.parquet", [metadatastore.MinMax("a")], "stores")
"""
    run = subprocess.run(
        [sys.executable, "-c", code], env=writers.environment(), cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == -signal.SIGTERM, run.stderr
    assert int(run.stdout) >= 1
    assert os.listdir(tmp_path / "stores") == []


def test_until_ctrl_c_is_heeded_only_the_package_itself_is_imported():
    """What is imported before can swallow Ctrl-C, and nothing of this package can prevent that."""
    code = "import sys; before = {*sys.modules}; import pqexplore; print(*{*sys.modules} - before)"
    run = subprocess.run([sys.executable, "-S", "-c", code], env=writers.environment(), capture_output=True, text=True)
    assert set(run.stdout.split()) <= {"pqexplore", "pqexplore._version", "__future__"}


@pytest.mark.parametrize("heeded", [False, True], ids=["the first", "one that was heeded"])
def test_ctrl_c_while_the_handlers_are_put_back(heeded, monkeypatch):
    """It was raised inside of `_restore`: the command ended with a traceback, and the handlers stayed."""
    restore, own = ending._restore, signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupted_while_restoring():
        signal.raise_signal(signal.SIGINT)
        restore()

    monkeypatch.setattr(ending, "_restore", interrupted_while_restoring)
    try:
        with contextlib.nullcontext() if heeded else pytest.raises(KeyboardInterrupt), ending.heeding():
            if heeded:
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, own)


@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM"])
def test_a_signal_while_a_temporary_folder_is_made_leaves_none(by, tmp_path):
    """`lake` was interrupted before the folder had an owner, and left it."""
    code = f"""
import os, signal, tempfile
from pqexplore.engine import ending
make = tempfile.mkdtemp

def mkdtemp(**options):
    folder = make(**options)
    signal.raise_signal(signal.{by})
    return folder

for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
tempfile.mkdtemp = mkdtemp
with ending.heeding():
    folder = ending.TemporaryFolder()
print("not ended")
"""
    environment = writers.environment() | {"TMPDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (-getattr(signal, by), ""), run.stderr
    assert os.listdir(tmp_path) == []
