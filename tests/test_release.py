"""What is published agrees with itself. `make release-check` builds and installs it."""

import importlib.util
import os
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from trove_classifiers import classifiers

import pqexplore

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def tool(name):
    """A program of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_changelog_begins_with_this_version():
    changed = re.search(r"^## ([\w.]+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert changed[1] == pqexplore.__version__


def test_the_classifiers_exist():
    assert set(PROJECT["project"]["classifiers"]) <= classifiers


@pytest.mark.parametrize("name", ["js", "tests", "docs", "notebooks", "tools", "Makefile", "*.md", "NOTICE"])
def test_the_sdist_has_what_is_needed_to_build_and_test(name):
    assert name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


def test_the_licence_and_the_notice_are_installed():
    assert {"LICENSE", "NOTICE"} == set(PROJECT["project"]["license-files"])


def test_the_workflow_runs_each_python_that_is_promised():
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    promised = [one.rpartition(" ")[2] for one in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", one)]
    assert f"python: {promised}".replace("'", '"') in workflow


def readme(**project):
    """README.md as it is in the metadata of a build."""
    metadata = ProjectMetadata(str(ROOT), PluginManager())
    metadata.config["project"].update(project)
    return metadata.core.readme


def test_an_index_shows_the_pictures_once_the_address_is_known():
    text = (ROOT / "README.md").read_text("utf-8")
    assert readme() == text  # the address is not known
    address, tag = "https://forge.example/us/it", f"v{pqexplore.__version__}"
    shown = readme(urls={"Source": f"{address}/"})
    links = re.findall(r"(?:\]\(|src=\"|srcset=\")([^\")]+)", shown)
    at = re.compile(rf"{address}/(blob|raw)/{re.escape(tag)}/(.+)")
    found = [at.fullmatch(link).group(1, 2) for link in links if link.startswith(address)]
    assert [one for one in links if not one.startswith(("https:", "#"))] == []
    assert len(found) > 10 and [path for _, path in found if not (ROOT / path).exists()] == []
    assert {Path(path).suffix for kind, path in found if kind == "raw"} == {".gif", ".png"}
    assert re.sub(rf"{address}/(blob|raw)/{re.escape(tag)}/", "", shown) == text


def test_only_links_to_the_projects_own_files_change():
    kept = "[a](https://a.example/b) [b](#use) [c](mailto:c@example.org)"
    text = f"{kept} [a](docs/a.md#b)"
    assert tool("readme").absolute(text, "https://f", "v1") == f"{kept} [a](https://f/blob/v1/docs/a.md#b)"


def test_the_readme_names_each_extra():
    extras = PROJECT["project"]["optional-dependencies"].keys() - {"demo", "dev", "docs"}
    text = (ROOT / "README.md").read_text("utf-8")
    named = re.search(r"Extras, .*?\n\n", text, re.S)
    assert named is not None
    assert set(re.findall(r"`(\w+)`", named[0])) == extras


STATED = {"urls": {"Source": "https://forge.example"}, "classifiers": ["x :: 5 - Production/Stable"]}


@pytest.mark.parametrize("project, version, changelog, said", [
    (STATED, "1.0.0", "## 1.0.0, 2026-11-30\n", []),
    ({**STATED, "urls": {}}, "1.0.0", "## 1.0.0, 2026-11-30\n", ["address of the project"]),
    (STATED, "1.0.0", "## 1.0.0, not yet released\n", ["no line `## 1.0.0, `"]),
    (STATED, "1.0.0", "## 1.0.1, 2026-11-30\n", ["no line `## 1.0.0, `"]),
    (STATED, "0.9.0", "## 0.9.0, 2026-11-30\n", ["development status"]),
    (STATED, "1.0.0rc1", "## 1.0.0rc1, 2026-11-30\n", ["development status"]),
    (PROJECT["project"], "1.0.0", "", ["address", "no line", "development status"]),
])  # fmt: skip
def test_what_a_release_lacks_is_said(project, version, changelog, said):
    found = tool("release").undecided(project, version, changelog)
    assert len(found) == len(said)
    assert all(words in sentence for words, sentence in zip(said, found, strict=True))


def test_a_folder_of_this_machine_in_a_wheel_is_found():
    parts = {
        "a.py": b"x = 1",
        "b.js": b"//# source: /home/someone/x",
        "c/d.txt": b"/home/some",
        "e": b"a/home/someone/y",
    }.items()
    assert tool("release").machine_paths(parts, [Path("/home/someone")]) == ["b.js"]


def test_the_bundle_names_no_folder_of_this_machine():
    release = tool("release")
    assert release.machine_paths(release.unpacked(ROOT / "pqexplore" / "widget" / "static"), [ROOT]) == []


def test_packages_that_were_not_looked_up_are_counted_and_not_called_clean():
    known = {"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}
    report = {
        "dependencies": [known, {"name": "b", "version": "2", "vulns": []}, {"name": "c", "skip_reason": "not found"}]
    }
    assert tool("release").audited(report) == (["a 1: CVE-1, CVE-2"], 1)


def test_the_pythons_of_the_check_are_those_of_the_classifiers():
    found = tool("release").pythons(
        {"classifiers": [f"x :: {'.'.join(map(str, sys.version_info[:2]))}", "x :: 3.99", "x :: 3"]}
    )
    assert [one is not None for one in found.values()] == [True, False]


def test_the_commands_of_the_checklist_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`make ([\w-]+)", text.partition("## To publish a release")[2]))
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.M)[1]
    assert named >= {"release-check", "test-full", "oldest", "databricks"}
    assert named <= set(phony.split())


ENVIRONMENTS = sorted((ROOT / "tests" / "environments").glob("databricks-*.txt"))
PIN = re.compile(r"(\w+)==([\d.]+)(  # .+)?")


def test_the_environments_of_databricks_are_those_that_the_makefile_makes():
    names = {one.stem.removeprefix("databricks-") for one in ENVIRONMENTS}
    assert names >= {"15.4", "16.4", "17.3", "serverless-2", "serverless-3", "serverless-4"}
    plan = subprocess.run(
        ["make", "--dry-run", "databricks"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert {one for one in names if f'"==> databricks-{one}"' in plan} == names


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_an_environment_of_databricks_says_its_source_and_may_be_installed(path):
    source, python, *lines = path.read_text("utf-8").splitlines()
    assert re.fullmatch(
        r"# Versions of Databricks .+, from python/\S+/constraints.txt of github.com/databricks/environments.", source
    )
    version = re.fullmatch(r"# Python (3\.\d+)", python)[1]
    assert version in SpecifierSet(PROJECT["project"]["requires-python"])
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [Requirement(one) for one in PROJECT["project"]["dependencies"] + extras["lake"]]
    allowed = {one.name: one.specifier for one in wanted}
    pins = dict(PIN.fullmatch(line).group(1, 2) for line in lines)
    assert {"cryptography", "ipywidgets", "numpy", "pandas", "plotly", "pyarrow"} <= pins.keys()
    assert [one for one, pin in pins.items() if pin not in allowed.get(one, SpecifierSet())] == []


@pytest.mark.skipif(sys.platform == "win32", reason="the tool is a script for sh")
@pytest.mark.parametrize(("version", "here"), [(sys.version_info[:2], True), ((3, 99), False)])
def test_the_interpreter_of_an_environment(version, here, tmp_path):
    number = ".".join(map(str, version))
    (tmp_path / f"python{number}").symlink_to(sys.executable) if here else None
    found = subprocess.run(
        [ROOT / "tools" / "interpreter", number, sys.executable],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )
    assert found.stdout.strip() == (f"python{number}" if here else sys.executable)
    said = f"==> there is no Python {number} on the path: Python {platform.python_version()} is used"
    assert found.stderr.strip() == ("" if here else said)
