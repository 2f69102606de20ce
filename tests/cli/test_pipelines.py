"""docs/pipelines.md: its hook is run by pre-commit, the commands of its workflow by a shell, its settings by `check`."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from pqexplore.cli.linting import KEYS
from pqexplore.engine.writer.samples import write_sample

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pipelines.md").read_text("utf-8")
TOML, HOOK, WORKFLOW = (
    re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)[number]
    for language, number in (("toml", 0), ("yaml", 0), ("yaml", 1))
)


@pytest.fixture
def repository(tmp_path):
    """A folder under version control with a sound file, data/good.parquet."""
    (tmp_path / "data").mkdir()
    pq.write_table(pa.table({"n": range(10)}), tmp_path / "data" / "good.parquet")
    (tmp_path / ".pre-commit-config.yaml").write_text(HOOK)
    run(tmp_path, "git init -q . && git add .")
    return tmp_path


def run(folder, line):
    """The exit status and the output of a line of a shell, which finds this Python's commands first."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": paths, "PRE_COMMIT_HOME": str(folder / ".cache")}
    made = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    return made.returncode, made.stdout + made.stderr


def test_the_hook_lets_sound_files_pass_and_names_a_damaged_one(repository):
    assert run(repository, "pre-commit run --all-files")[0] == 0
    write_sample("sick-checksum", repository / "data" / "bad.parquet")
    status, said = run(repository, "git add . && pre-commit run --all-files")
    assert status == 1 and "data/bad.parquet: 1 finding" in said and "crc-mismatch" in said


def test_the_commands_of_the_workflow(repository):
    write_sample("sick-checksum", repository / "data" / "bad.parquet")
    steps = yaml.safe_load(WORKFLOW)["jobs"]["check"]["steps"]
    first, second = (step["run"] for step in steps if "pqexplore " in step.get("run", "") and "pip" not in step["run"])
    status, said = run(repository, first)
    assert status == 1 and said.startswith("::error file=data/bad.parquet,")
    assert run(repository, second)[0] == 1
    assert '"2.1.0"' in (repository / "parquet.sarif").read_text("utf-8")


def test_the_table_of_the_page_is_taken(repository):
    assert set(tomllib.loads(TOML)["tool"]["pqexplore"]) < set(KEYS)
    (repository / "pyproject.toml").write_text(TOML)
    assert run(repository, "pqexplore check data/good.parquet")[0] == 0
