"""Ctrl-C is never lost: not before the command begins, and not inside an import, where an exception can be swallowed.

`rewrite` went on after a Ctrl-C in its first 100 ms, and wrote its file: pyarrow ignores what the import of pandas raises.
"""

import os
import signal
import subprocess
import sys

import pytest
from writing import interrupted, writers

from pqexplore.cli import INTERRUPTED
from pqexplore.cli.verbs import VERBS


def ended(folder, module, words):
    """The exit status of a command that gets SIGINT while it imports a module; what it writes is said to be nothing."""
    before = sorted(os.listdir(folder))
    run = subprocess.run(
        [sys.executable, interrupted.__file__, module, *words],
        env=writers.environment(),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stderr.startswith("interrupted"), run.stderr
    assert "Traceback" not in run.stderr
    assert sorted(os.listdir(folder)) == before
    return run.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return writers.prepare(tmp_path_factory.mktemp("interrupted"))


@pytest.mark.parametrize("verb", VERBS)
def test_ctrl_c_in_the_first_import_of_a_verb_ends_it(folder, verb):
    module = f"pqexplore.cli.{VERBS[verb].module}"
    words = {"sample": ["events", "new"], "completion": ["bash"], "explain": ["page"], "lake": ["."], "index": ["."]}
    files = {"rewrite": ["source.parquet", "new"], "salvage": ["cut.parquet", "new"]}
    both = {"diff": ["source.parquet", "second.parquet"], "ask": ["source.parquet", "TRUE"]}
    given = (words | files | both).get(verb, ["source.parquet"])
    assert ended(folder, module, [verb, *given]) == INTERRUPTED


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
def test_ctrl_c_in_an_import_of_rewrite_ends_it_without_a_file(folder, module, status):
    assert ended(folder, module, REWRITE) == status


def test_until_ctrl_c_is_heeded_only_the_package_itself_is_imported():
    """What is imported before can swallow Ctrl-C, and nothing of this package can prevent that."""
    code = "import sys; before = {*sys.modules}; import pqexplore; print(*{*sys.modules} - before)"
    run = subprocess.run([sys.executable, "-S", "-c", code], env=writers.environment(), capture_output=True, text=True)
    assert set(run.stdout.split()) <= {"pqexplore", "pqexplore._version", "__future__"}
