"""Tab completes verbs, options and their values, and the columns and addresses of the file in the line."""

import os
import shutil
import subprocess
import sys

import pytest

from pqexplore.cli import main
from pqexplore.cli.complete import completions
from pqexplore.cli.completion import SCRIPTS
from pqexplore.engine.writer.samples import write_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sample files in the folder of the process."""
    made = tmp_path_factory.mktemp("completion")
    write_sample("events", made / "events.parquet")
    write_sample("encrypted", made / "encrypted.parquet")
    before = os.getcwd()
    os.chdir(made)
    yield made
    os.chdir(before)


COMPLETED = [
    # words after pqexplore, first completions
    ("di", ["dictionary", "diff"]),
    ("--vie", ["--view"]),
    ("events.parquet --view stat", ["statistics"]),
    ("events.parquet --engine da", ["datafusion"]),
    ("stats --row", ["--row-group"]),
    ("stats events.parquet --column c", ["country"]),
    ("stats events.parquet --column tags", ["tags.list.element"]),
    ("cat events.parquet --columns id,c", ["id,country"]),
    ("rewrite events.parquet new.parquet --sort us", ["user"]),
    ("events.parquet --at ro", ["rows/", "row_groups"]),
    ("events.parquet --at row_groups/", ["row_groups/0", "row_groups/1", "row_groups/2"]),
    ("events.parquet --at row_groups/0/columns/c", ["row_groups/0/columns/country"]),
    ("events.parquet --at columns/payload.s", ["columns/payload.screen.width", "columns/payload.screen.height"]),
    ("events.parquet --at row_groups/0/columns/country/pages/", [f"row_groups/0/columns/country/pages/{i}" for i in range(5)]),
    ("events.parquet --at row_groups/9/", []),
    ("stats nowhere.parquet --column c", []),
    ("stats encrypted.parquet --column c", []),
    ("stats ev", []),
    ("lake ds --view small", ["small_files"]),
    ("doctor --level ", ["footer", "pages", "sample", "data", "all"]),
    ("sample sick-check", ["sick-checksum"]),
    ("explain row", ["row group"]),
    ("completion ", ["bash", "zsh", "fish"]),
]  # fmt: skip


@pytest.mark.parametrize("line, expected", COMPLETED, ids=[row[0] for row in COMPLETED])
def test_completions(folder, line, expected):
    assert [word for word, _ in completions(line.split(" "))] == expected


def test_completions_are_lines_with_their_meaning(folder, capsys):
    assert main(["__complete", "events.parquet", "--view", "stat"]) == 0
    assert capsys.readouterr().out == "statistics\twhat can a query skip?\n"


BASH = """
pqexplore() { "$PYTHON" -m pqexplore "$@"; }
source /dev/stdin <<< "$(pqexplore completion bash)"
COMP_WORDS=(pqexplore stats "odd name.parquet" --column c)
COMP_CWORD=4
_pqexplore
echo "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(folder):
    shutil.copy("events.parquet", "odd name.parquet")
    found = subprocess.run(
        ["bash", "-c", BASH], capture_output=True, text=True, env={**os.environ, "PYTHON": sys.executable}
    )
    assert (found.stdout, found.stderr) == ("country\n", "")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_takes_its_script(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "pqexplore __complete" in script
    if shutil.which(shell):
        found = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
        assert (found.returncode, found.stderr) == (0, "")
