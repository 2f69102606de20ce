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
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.writer.samples import write_sample
from pqexplore.lake import metadatastore

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
    "mcp",
    "pydantic",
    "jupyter_server",
)


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


@pytest.mark.parametrize("code", [
    "import pqexplore", "import pqexplore; pqexplore.open", "import pqexplore.cli",
    "import pqexplore.lake; pqexplore.lake.scan", "import pqexplore.insight.document, pqexplore.insight.report",
])  # fmt: skip
def test_what_is_heavy_is_not_imported(code):
    assert loaded_by(code).isdisjoint(HEAVY)


ENCODINGS = {"pqexplore.engine.format.encodings"}
ARRAYS = {"pandas", "numpy.random"}
"""What pyarrow imports where it makes an array of Python's values, if it is installed."""
COMPUTE = {"pyarrow.compute"}
DATASETS = {"pyarrow.parquet", "pyarrow.dataset", "pyarrow.fs"}
LENSES = {"pqexplore.insight.lenses.bloom"}
WRITER = {*ARRAYS, *COMPUTE, *ENCODINGS, "pqexplore.engine.writer.coder"}

WHEN_USED = (
    *HEAVY,
    *("datafusion", "deltalake", "duckdb", "fastparquet", "polars", "pyiceberg"),
    *("asyncio", "cryptography", "sqlglot"),
    *COMPUTE,
    *DATASETS,
    *ARRAYS,
    *ENCODINGS,
    *LENSES,
    *("pqexplore.engine.check.file_check", "pqexplore.engine.writer.coder"),
)
"""What takes 5 ms of CPU or more to import: a verb loads it where its answer needs it."""

MAY_LOAD = {
    "--version": set(),
    "--help": set(),
    "small": {*COMPUTE, *ENCODINGS, "pqexplore.engine.check.file_check"},
    "--at row_groups/0/columns/0 small": set(),
    "--at row_groups/0/columns/0/pages/0 small": ENCODINGS,
    "head small": {*COMPUTE, *ENCODINGS},
    "cat small": {*COMPUTE, *ENCODINGS},
    "schema small": ENCODINGS,
    "stats small": ENCODINGS,
    "pages small": ENCODINGS,
    "dictionary small": ENCODINGS,
    "levels small --column list.list.element": {*COMPUTE, *ENCODINGS, *LENSES},
    "bloom small": {*ENCODINGS, *LENSES},
    "variant variant": {*ARRAYS, *COMPUTE, *ENCODINGS, *LENSES},
    "check small": {*ARRAYS, *COMPUTE, *ENCODINGS, "cryptography", "pqexplore.engine.check.file_check"},
    "doctor small": {*COMPUTE, *ENCODINGS, "pqexplore.engine.check.file_check"},
    "ask small id>5": {*WRITER, "sqlglot"},
    "ask small id>5 --engines": {*WRITER, "sqlglot"},
    "ask small id>5 --no-advice": {*ARRAYS, *COMPUTE, *ENCODINGS, "sqlglot"},
    "diff small small": ENCODINGS,
    "what-if small --seconds 0.1": WRITER,
    "rewrite small new": WRITER,
    "salvage cut": ENCODINGS,
    "lake --list": set(),
    "lake --processes 0 data": {*WRITER, *DATASETS},
    "index store": {*COMPUTE, *ENCODINGS},
    "index store --where id<5": {*WRITER, "sqlglot"},
    "sample --list": {*ENCODINGS, "cryptography", "pqexplore.engine.writer.coder"},
    "sample nested new": {*WRITER, "cryptography"},
    "mcp --help": set(),
    "view --help": set(),
    "completion bash": set(),
    "explain page": {*WRITER, "cryptography"},
    "explain ratio": ENCODINGS,
}
"""By the words of a command: what of `WHEN_USED` it may load."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files for the commands: `small`, `cut` without its footer, `variant`; `data`, and `store` with its indexes."""
    folder = tmp_path_factory.mktemp("import")
    columns = {"id": range(1000), "text": ["a", "b"] * 500, "list": [[1.5], []] * 500}
    price = pa.array([Decimal("1.50")] * 1000, pa.decimal128(9, 2))
    table = pa.table({**columns, "price": price, "small": pa.array([1] * 1000, pa.int8())})
    small = folder / "small"
    pq.write_table(table, small, row_group_size=500, write_page_index=True, store_decimal_as_integer=True)
    (folder / "cut").write_bytes(small.read_bytes()[:-100])
    (folder / "data").mkdir()
    (folder / "data" / "small.parquet").write_bytes(small.read_bytes())
    write_sample("variant", folder / "variant")
    metadatastore.build(None, folder / "data", [metadatastore.MinMax("id")], folder / "store")
    return folder


@pytest.mark.parametrize("words", MAY_LOAD)
def test_what_a_verb_may_load(words, folder, tmp_path):
    command = [str(tmp_path / "new") if word == "new" else word for word in words.split()]
    program = f"""import contextlib, io, os, pqexplore.cli
os.chdir({str(folder)!r})
with contextlib.redirect_stdout(io.StringIO()) as out:
    try: status = pqexplore.cli.main({command})
    except SystemExit as stopped: status = stopped.code
assert not status and out.getvalue()"""
    assert loaded_by(program) & set(WHEN_USED) <= MAY_LOAD[words]


def test_each_verb_is_in_the_table():
    assert {words.split()[0] for words in MAY_LOAD} >= VERBS.keys()


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
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
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
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
    known = {
        (alias.asname, line.module) for line in block.body if isinstance(line, ast.ImportFrom) for alias in line.names
    } - {(None, "typing")}
    modules = {(name, "pqexplore") for name in pqexplore._MODULES}
    assert known == {*pqexplore._HOME.items(), *modules}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        _ = pqexplore.opne


def test_promised_names_are_there():
    promised = {
        "open", "explore", "Decryption", "ParquetError", "NotParquetError", "CorruptFileError",
        "UnsupportedFeatureError", "ElsewhereError", "EncryptedFileError", "LimitExceededError",
    }  # fmt: skip
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

        included = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
        static = {
            f"pqexplore/widget/static/{name}"
            for name in ("index.js", "index.css", "loader.js", "page.js", "page.css", "window.css")
        }
        assert static | {"pqexplore/__init__.py", "pqexplore/magic/__init__.py"} <= included
        assert not {one for one in included if not one.startswith("pqexplore/")}

    def test_the_command_leads_to_the_command_line(self):
        assert self.project["project"]["scripts"] == {"pqexplore": "pqexplore.__main__:main"}
