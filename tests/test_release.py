"""What is published agrees with itself. `make release-check` builds and installs it."""

import re
import tomllib
from pathlib import Path

import pytest
from trove_classifiers import classifiers

import pqexplore

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_changelog_begins_with_this_version():
    changed = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert changed[1] == pqexplore.__version__


def test_the_classifiers_exist():
    assert set(PROJECT["project"]["classifiers"]) <= classifiers


@pytest.mark.parametrize(
    "name", ["js", "tests", "docs", "notebooks", "tools", "Makefile", "*.md", "NOTICE"]
)
def test_the_sdist_has_what_is_needed_to_build_and_test(name):
    assert name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


def test_the_licence_and_the_notice_are_installed():
    assert {"LICENSE", "NOTICE"} == set(PROJECT["project"]["license-files"])


def test_the_workflow_runs_each_python_that_is_promised():
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    promised = [
        one.rpartition(" ")[2]
        for one in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", one)
    ]
    assert f"python: {promised}".replace("'", '"') in workflow
