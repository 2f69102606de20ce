"""What `import pqexplore` costs and promises."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pqexplore

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "pandas",
    "plotly",
    "IPython",
    "ipywidgets",
    "anywidget",
    "pyspark",
    "fsspec",
    "jupyterlab",
)


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import pqexplore",
        "import pqexplore; pqexplore.open",
        "import pqexplore.cli",
        "import pqexplore.lake; pqexplore.lake.scan",
        "import pqexplore.insight.document, pqexplore.insight.report",
    ],
)
def test_what_is_heavy_is_not_imported(code):
    assert loaded_by(code).isdisjoint(HEAVY)


def test_import_alone_does_not_load_the_engine():
    assert not {
        one
        for one in loaded_by("import pqexplore")
        if one.startswith(("pqexplore.", "pyarrow", "numpy"))
    }


@pytest.mark.parametrize("name", pqexplore.__all__)
def test_public_names_resolve(name):
    assert getattr(pqexplore, name) is not None
    assert name in dir(pqexplore)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        _ = pqexplore.opne


def test_promised_names_are_there():
    promised = {
        "open",
        "explore",
        "Decryption",
        "ParquetError",
        "NotParquetError",
        "CorruptFileError",
        "UnsupportedFeatureError",
        "EncryptedFileError",
        "LimitExceededError",
    }
    assert promised <= set(pqexplore.__all__)


class TestPackage:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    def test_versions_agree(self):
        assert self.project["project"]["version"] == pqexplore.__version__

    def test_the_wheel_has_the_bundle(self):
        from hatchling.builders.wheel import WheelBuilder

        included = {
            file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()
        }
        static = {
            f"pqexplore/widget/static/{name}" for name in ("index.js", "index.css", "standalone.js")
        }
        assert static | {"pqexplore/__init__.py", "pqexplore/magic.py"} <= included
        assert not {one for one in included if not one.startswith("pqexplore/")}

    def test_the_command_leads_to_the_command_line(self):
        assert self.project["project"]["scripts"] == {"pqexplore": "pqexplore.cli:main"}
