"""The view of engines that cannot read files: what the doctor knows of the readers, asked of the stored tables.

Only features that the tables decide are asked: those of the types (column `features` of `schemas`), and those below. What
a page header or a value decides is left to `pqexplore.diagnose(file).readers`.
"""

from __future__ import annotations

from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.table import SOURCES, VERSIONS, Cell
from pqexplore.lake.views.view import View


def _has(encoding: str) -> str:
    return f"array_contains(encodings, '{encoding}')"


_FIXED = "physical_type = 'FIXED_LEN_BYTE_ARRAY'"
_SPLIT = _has("BYTE_STREAM_SPLIT")

OF_CHUNKS = {
    "lzo": "codec = 'LZO'",
    "brotli": "codec = 'BROTLI'",
    "alp": _has("ALP"),
    "delta-binary-packed": _has("DELTA_BINARY_PACKED"),
    "delta-length": _has("DELTA_LENGTH_BYTE_ARRAY"),
    "delta-byte-array": f"{_has('DELTA_BYTE_ARRAY')} AND physical_type = 'BYTE_ARRAY'",
    "delta-byte-array-fixed": f"{_has('DELTA_BYTE_ARRAY')} AND {_FIXED}",
    "byte-stream-split": f"{_SPLIT} AND physical_type IN ('FLOAT', 'DOUBLE')",
    "byte-stream-split-integers": f"{_SPLIT} AND physical_type IN ('INT32', 'INT64')",
    "byte-stream-split-float16": f"{_SPLIT} AND {_FIXED} AND logical_type = 'FLOAT16'",
    "byte-stream-split-fixed": f"{_SPLIT} AND {_FIXED} AND logical_type <> 'FLOAT16'",
    "boolean-dictionary": "physical_type = 'BOOLEAN' AND dictionary_data_pages > 0",
    "dictionary-fallback-text": "logical_type = 'STRING' AND dictionary_data_pages > 0"
    " AND dictionary_data_pages < data_pages",
    "encrypted-columns": "encryption <> 'none'",
    "other-files": "file_path <> ''",
}
"""The condition on `column_chunks` for each feature of chunks with values."""

OF_FILES = {
    "encrypted-footer": "status = 'error' AND encryption = 'footer'",
    "signed-footer-ctr": "status = 'ok' AND encryption = 'columns' AND encryption_algorithm = 'AES_GCM_CTR_V1'",
    "no-columns": "status = 'ok' AND num_columns = 0",
}
"""The condition on `files` for each feature of whole files."""


def _text(text: str) -> str:
    """A text as SQL of both dialects, inside a format: a quote is doubled in one and escaped in the other."""
    parts = [f"'{part}'" for part in text.replace("{", "{{").replace("}", "}}").split("'")]
    return parts[0] if len(parts) == 1 else f"concat({', chr(39), '.join(parts)})"


def _verdict(cell: Cell) -> str:
    if cell.verdict is Verdict.WRONG:
        return "reads it wrongly"
    return "refuses the file" if cell.whole else "refuses the columns"


def _known() -> str:
    """What is known to fail, as rows of SQL. An engine without a version is left out, as in the doctor."""
    rows = [
        (feature, engine, VERSIONS[engine], _verdict(cell), known.title, cell.what, SOURCES[cell.source].title)
        for feature, known in KNOWN.items()
        for engine, cell in known.cells.items()
        if cell.verdict is not Verdict.READS and VERSIONS[engine]
    ]  # fmt: skip
    return ",\n            ".join(f"({', '.join(map(_text, row))})" for row in rows)


def _cases(conditions: dict[str, str]) -> str:
    return " ".join(f"WHEN '{name}' THEN {condition}" for name, condition in conditions.items())


def _names(conditions: dict[str, str]) -> str:
    return ", ".join(f"('{name}')" for name in conditions)


VIEWS = (
    View(
        "unreadable_by_engine",
        "Per file and engine: why the engine refuses it, or reads it wrongly without an error. These are predictions, from "
        "the footers and what is known of the versions named; damage, keys, and what only pages or values show are left out.",
        f"""
        WITH known AS (
          SELECT * FROM (VALUES
            {_known()}
          ) AS k (feature, engine, version, verdict, title, what, source)
        ), chunks AS (
          SELECT path, column_name, physical_type, logical_type, codec, encodings, data_pages, dictionary_data_pages,
                 encryption, file_path
          FROM column_chunks
          WHERE (num_values > 0 OR encryption <> 'none') AND ({" OR ".join(f"({one})" for one in OF_CHUNKS.values())})
        ), features AS (
          SELECT c.path, c.column_name, n.feature
          FROM chunks c JOIN (SELECT * FROM (VALUES {_names(OF_CHUNKS)}) AS v (feature)) n
            ON CASE n.feature {_cases(OF_CHUNKS)} END
          UNION ALL
          SELECT f.path, s.column_name, s.feature
          FROM files f JOIN (
            SELECT o.schema_id, o.column_name, k.feature
            FROM schemas o JOIN (SELECT DISTINCT feature FROM known) k ON array_contains(o.features, k.feature)
          ) s ON s.schema_id = f.schema_id
          WHERE f.status = 'ok'
          UNION ALL
          SELECT f.path, CAST(NULL AS STRING), n.feature
          FROM files f JOIN (SELECT * FROM (VALUES {_names(OF_FILES)}) AS v (feature)) n
            ON CASE n.feature {_cases(OF_FILES)} END
          UNION ALL
          SELECT f.path, CAST(NULL AS STRING), 'row-count-zero'
          FROM files f JOIN findings d ON d.path = f.path
          WHERE d.rule = 'row-count-disagrees' AND f.num_rows = 0
        ), by_file AS (
          SELECT path, feature, count(DISTINCT column_name) AS num_columns, min(column_name) AS example_column
          FROM features
          GROUP BY path, feature
        )
        SELECT b.path, k.engine, k.version, k.verdict, k.title AS feature, b.num_columns, b.example_column, k.what, k.source
        FROM by_file b JOIN known k ON k.feature = b.feature
        ORDER BY b.path, k.engine, feature
        """,
        columns="""
        path — The file.
        engine — The engine.
        version — The version that this is known of.
        verdict — refuses the file, refuses the columns, or reads it wrongly.
        feature — What in the file the engine fails at.
        num_columns — Columns that have it; 0 if it is a property of the file.
        example_column — One of them.
        what — The error, or what goes wrong.
        source — How that is known.
        """,
    ),
)
