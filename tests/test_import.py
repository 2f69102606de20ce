"""What `import pqexplore` costs and promises."""

import ast
import re
import subprocess
import sys
import tomllib
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
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


ENCODINGS = {"pqexplore.engine.format.encodings"}

WHEN_USED = (
    *HEAVY,
    *("pyarrow.compute", "pyarrow.parquet", "cryptography", "polars", "duckdb", "numpy.random"),
    *(
        "pqexplore.engine.check.whole",
        "pqexplore.engine.writer.coder",
        "pqexplore.insight.lenses.bloom",
    ),
    *ENCODINGS,
)
"""What takes 5 ms of CPU or more to import: a verb loads it where its answer needs it."""

MAY_LOAD = {
    (): set(),
    ("--at", "row_groups/0/columns/0"): set(),
    ("--at", "row_groups/0/columns/0/pages/0"): ENCODINGS,
    ("schema",): ENCODINGS,
    ("head",): {"pyarrow.compute", *ENCODINGS},
    ("stats",): ENCODINGS,
    ("pages",): ENCODINGS,
    ("check",): {
        *("pandas", "numpy.random", "pyarrow.compute", "cryptography"),
        *("pqexplore.engine.check.whole", *ENCODINGS),
    },
}
"""By the words before FILE: what of `WHEN_USED` the command may load."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("import") / "small.parquet"
    columns = {"id": range(1000), "text": ["a", "b"] * 500, "list": [[1.5], []] * 500}
    price = pa.array([Decimal("1.50")] * 1000, pa.decimal128(9, 2))
    table = pa.table({**columns, "price": price, "small": pa.array([1] * 1000, pa.int8())})
    pq.write_table(
        table, path, row_group_size=500, write_page_index=True, store_decimal_as_integer=True
    )
    return path


@pytest.mark.parametrize("words", MAY_LOAD, ids=lambda words: " ".join(words) or "FILE")
def test_what_a_verb_may_load(words, small):
    command = [*words, str(small)]
    program = "import contextlib, io, pqexplore.cli\n"
    program += f"with contextlib.redirect_stdout(io.StringIO()) as out:\n    assert not pqexplore.cli.main({command})\n"
    program += "assert out.getvalue()"
    assert loaded_by(program) & set(WHEN_USED) <= MAY_LOAD[words]


def test_import_alone_does_not_load_the_engine():
    assert not {
        one
        for one in loaded_by("import pqexplore")
        if one.startswith(("pqexplore.", "pyarrow", "numpy")) and one != "pqexplore._version"
    }


@pytest.mark.parametrize("name", ["open", "ParquetFile"])
def test_a_file_is_shown_as_html_in_a_notebook(name):
    program = f"import pqexplore, pyarrow as pa, io; pqexplore.{name}; out = io.BytesIO();"
    program += "from pqexplore.engine.writer.file import write; from pqexplore.engine.file.file import open;"
    program += "write(pa.table({'n': [1]}), out); print(open(out.getvalue())._repr_html_())"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "<table>" in run.stdout and "INT64" in run.stdout


@pytest.mark.parametrize("name", pqexplore.__all__)
def test_public_names_resolve(name):
    assert getattr(pqexplore, name) is not None
    assert name in dir(pqexplore)


def test_editors_know_every_public_name():
    tree = ast.parse((ROOT / "pqexplore" / "__init__.py").read_text())
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )
    known = {
        (alias.asname, line.module)
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    modules = {(name, "pqexplore") for name in pqexplore._MODULES}
    assert known == {*pqexplore._HOME.items(), *modules}


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
        "ElsewhereError",
        "EncryptedFileError",
        "LimitExceededError",
    }
    assert promised <= set(pqexplore.__all__)


class TestPackage:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    def test_versions_agree(self):
        from hatchling.metadata.core import ProjectMetadata
        from hatchling.plugin.manager import PluginManager

        assert ProjectMetadata(str(ROOT), PluginManager()).version == pqexplore.__version__
        assert f"\nversion: {pqexplore.__version__}\n" in (ROOT / "CITATION.cff").read_text()

    def test_the_lock_has_every_development_tool(self):
        def name(requirement):
            return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")

        lines = (ROOT / "tests/environments/dev.txt").read_text().splitlines()
        pinned = {name(line) for line in lines if "==" in line}
        project = self.project["project"]
        extras = project["optional-dependencies"]
        wanted = {name(one) for one in project["dependencies"] + extras["dev"] + extras["demo"]}
        assert wanted - pinned == set()

    def test_the_wheel_has_the_bundle(self):
        from hatchling.builders.wheel import WheelBuilder

        included = {
            file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()
        }
        static = {
            f"pqexplore/widget/static/{name}"
            for name in ("index.js", "index.css", "loader.js", "page.js", "page.css", "window.css")
        }
        assert static | {"pqexplore/__init__.py", "pqexplore/magic/__init__.py"} <= included
        assert not {one for one in included if not one.startswith("pqexplore/")}

    def test_the_command_leads_to_the_command_line(self):
        assert self.project["project"]["scripts"] == {"pqexplore": "pqexplore.cli:main"}
