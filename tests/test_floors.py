"""Every dependency has a lowest version, and the Databricks runtimes that are supported have at least that."""

import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest
from needs import numbers

ROOT = Path(__file__).resolve().parents[1]
RUNTIMES = sorted((ROOT / "tests" / "environments").glob("databricks-*.txt"))

spec = importlib.util.spec_from_file_location("floors", ROOT / "tools" / "floors.py")
floors = importlib.util.module_from_spec(spec)
sys.modules["floors"] = floors
spec.loader.exec_module(floors)


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def pins(lines):
    return dict(line.split("==") for line in lines if "==" in line)


def test_every_dependency_has_a_floor():
    found = pins(floors.floors(project()))
    assert {"pyarrow", "cramjam", "cryptography", "thrift", "duckdb", "fsspec"} <= found.keys()


TRUE_FLOORS = [
    # package, the oldest version that works, what fails with an older one
    ("anywidget", "0.9.9", "_repr_mimebundle_ with ipywidgets 7"),
    ("cramjam", "2.11", "sound LZ4 files are called corrupt"),
    ("cryptography", "40", "the samples with AES-192 and CTR"),
    ("pyarrow", "14.0.1", "14.0.0 runs code that a file holds"),
    ("sqlglot", "29", "lambdas, IS NAN and functions of text are parsed in another way"),
    ("thrift", "0.25", "deep nesting crashes"),
    ("xxhash", "3.2", "no wheel for Python 3.11"),
]


@pytest.mark.parametrize("package, version, reason", TRUE_FLOORS)
def test_known_floors(package, version, reason):
    assert numbers(pins(floors.floors(project()))[package]) >= numbers(version), reason


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda path: path.stem)
def test_databricks_runtimes_have_at_least_the_floors(runtime):
    found = pins(floors.floors(project()))
    for package, version in pins(runtime.read_text("utf-8").splitlines()).items():
        if package in found:
            assert numbers(found[package]) <= numbers(version), package


REQUIREMENTS = [
    ("numpy>=1.23.5", ["numpy==1.23.5"]),
    ("ipywidgets>=7.7,<9", ["ipywidgets==7.7"]),
    ("fsspec[http]>=2023.1", ["fsspec==2023.1"]),
    ("a >= 1, < 2", ["a==1"]),
]


@pytest.mark.parametrize("requirement, expected", REQUIREMENTS)
def test_requirements_and_their_floors(requirement, expected):
    assert floors.floors({"dependencies": [requirement]}) == expected


@pytest.mark.parametrize("requirement", ["fsspec", "numpy<2", "numpy==1.26", "numpy~=1.26"])
def test_a_requirement_without_a_floor_raises(requirement):
    with pytest.raises(ValueError, match="has no lowest version"):
        floors.floors({"dependencies": [], "optional-dependencies": {"x": [requirement]}})
