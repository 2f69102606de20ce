"""What the processes that the package starts may import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pqexplore
from pqexplore.engine import own_processes

FROM = "import json, pqexplore; print(json.__file__); print(pqexplore.__file__)"


def imported(**environment):
    """The files of a module of Python and of the package, as a process imports them."""
    done = subprocess.run([sys.executable, "-c", FROM], capture_output=True, text=True, check=True, env=environment)
    return [Path(line) for line in done.stdout.split("\n") if line]


@pytest.mark.parametrize("before", [None, "", "elsewhere"])
def test_nothing_comes_from_the_current_folder_and_the_package_from_where_it_is(tmp_path, monkeypatch, before):
    """Here also a package of our name lies in the current folder."""
    (tmp_path / "json.py").touch()
    (tmp_path / "pqexplore").mkdir()
    (tmp_path / "pqexplore" / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONPATH", before and str(tmp_path / before))
    assert imported(**os.environ) == [tmp_path / "json.py", tmp_path / "pqexplore" / "__init__.py"]
    json, package = imported(**own_processes.environment())
    assert json != tmp_path / "json.py"
    assert package == Path(pqexplore.__file__)


def test_what_is_on_the_path_of_this_process_stays_there(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    made = own_processes.environment(MORE="1")
    assert made["PYTHONPATH"] == os.pathsep.join([str(Path(pqexplore.__file__).parents[1]), str(tmp_path)])
    assert made["MORE"] == "1"
    assert {name: value for name, value in made.items() if os.environ.get(name) != value}.keys() == {
        "MORE",
        "PYTHONPATH",
        "PYTHONSAFEPATH",
    }
