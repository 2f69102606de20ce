"""Views of how files are written: writers, codecs, encodings, deprecated features, encryption."""

from __future__ import annotations

from pqexplore.lake.views.view import View


def _deprecated(feature: str, where: str, why: str) -> str:
    return f"""
          SELECT '{feature}' AS feature,
                 count(DISTINCT path) AS num_files,
                 count(*) AS num_chunks,
                 CAST(sum(compressed_bytes) AS BIGINT) AS compressed_bytes,
                 min(path) AS example,
                 '{why}' AS why
          FROM column_chunks WHERE {where}"""


VIEWS = (
    View(
        "dictionary_fallback",
        "Per column: chunks whose writer started with a dictionary and then stopped using it. Only the first values use "
        "the dictionary; the others are stored in full.",
        """
        SELECT column_name, logical_type,
               count(*) AS num_chunks,
               count(*) FILTER (WHERE has_dictionary) AS dictionary_chunks,
               count(*) FILTER (WHERE dictionary_fallback) AS fallback_chunks,
               count(*) FILTER (WHERE has_dictionary AND dictionary_fallback IS NULL) AS unknown_chunks,
               CAST(coalesce(sum(compressed_bytes) FILTER (WHERE dictionary_fallback), 0) AS BIGINT) AS fallback_bytes,
               CAST(coalesce(sum(data_pages) FILTER (WHERE dictionary_fallback), 0) AS BIGINT) AS fallback_data_pages,
               CAST(coalesce(sum(dictionary_data_pages) FILTER (WHERE dictionary_fallback), 0) AS BIGINT)
                 AS fallback_dictionary_pages
        FROM column_chunks
        GROUP BY column_name, logical_type
        ORDER BY fallback_bytes DESC, column_name, logical_type
        """,
        columns="""
        column_name — The leaf's dotted path.
        logical_type — Its type.
        num_chunks — Its column chunks.
        dictionary_chunks — Those with a dictionary.
        fallback_chunks — Those whose writer stopped using it.
        unknown_chunks — Those with a dictionary for which the footer does not say it.
        fallback_bytes — Bytes of the chunks whose writer stopped using it.
        fallback_data_pages — Their data pages, as far as the encoding statistics say.
        fallback_dictionary_pages — Those of them that use the dictionary.
        """,
    ),
    View(
        "codecs_and_encodings",
        "Chunks and bytes by physical type, codec and set of encodings.",
        """
        SELECT physical_type, codec, CAST(encodings AS STRING) AS encodings,
               count(*) AS num_chunks,
               count(DISTINCT column_name) AS num_columns,
               CAST(sum(compressed_bytes) AS BIGINT) AS compressed_bytes,
               CAST(sum(uncompressed_bytes) AS BIGINT) AS uncompressed_bytes,
               nullif(sum(uncompressed_bytes), 0) / nullif(CAST(sum(compressed_bytes) AS DOUBLE), 0) AS ratio
        FROM column_chunks
        GROUP BY physical_type, codec, CAST(encodings AS STRING)
        ORDER BY compressed_bytes DESC, physical_type, codec, encodings
        """,
        columns="""
        physical_type — How values are stored.
        codec — The compression codec.
        encodings — The encodings of values and levels, as text.
        num_chunks — Column chunks of this kind.
        num_columns — Columns with such a chunk.
        compressed_bytes — Bytes of the chunks in the files.
        uncompressed_bytes — The same, decompressed.
        ratio — uncompressed_bytes by compressed_bytes.
        """,
    ),
    View(
        "writers",
        "Which programs wrote the files, their versions, and when.",
        """
        SELECT writer, writer_version, created_by,
               count(*) AS num_files,
               CAST(sum(num_rows) AS BIGINT) AS num_rows,
               CAST(sum(size) AS BIGINT) AS total_bytes,
               min(modified) AS first_modified,
               max(modified) AS last_modified,
               min(path) AS example
        FROM files
        WHERE status = 'ok'
        GROUP BY writer, writer_version, created_by
        ORDER BY num_files DESC, created_by
        """,
        columns="""
        writer — The writer's name, without the version.
        writer_version — Its version.
        created_by — Both, as the footer says.
        num_files — Readable files.
        num_rows — Their rows.
        total_bytes — Their bytes.
        first_modified — When the oldest of them was last changed.
        last_modified — When the newest of them was last changed.
        example — One of them.
        """,
    ),
    View(
        "deprecated",
        "Deprecated features of the format that the files use, and why each is deprecated.",
        "SELECT * FROM ("
        + " UNION ALL ".join(
            (
                _deprecated(
                    "INT96 timestamps",
                    "physical_type = 'INT96'",
                    "deprecated type without a sort order: readers ignore its statistics",
                ),
                _deprecated("LZ4 codec", "codec = 'LZ4'", "Hadoop framing, which is undocumented; LZ4_RAW replaces it"),
                _deprecated("LZO codec", "codec = 'LZO'", "few readers support it"),
                _deprecated(
                    "min and max in place of min_value and max_value",
                    "statistics = 'legacy'",
                    "compared as signed bytes, for every type",
                ),
                _deprecated("BIT_PACKED levels", "array_contains(encodings, 'BIT_PACKED')", "RLE replaces it"),
                _deprecated(
                    "PLAIN_DICTIONARY",
                    "array_contains(encodings, 'PLAIN_DICTIONARY')",
                    "the old name of RLE_DICTIONARY",
                ),
                _deprecated("pages in other files", "file_path IS NOT NULL", "meant for summary files only"),
                _deprecated(
                    "bounds without a column order",
                    "bounds = 'no-column-order'",
                    "min_value and max_value mean nothing without column_orders",
                ),
            )
        )
        + ") features WHERE num_chunks > 0 ORDER BY num_files DESC, feature",
        columns="""
        feature — What is deprecated.
        num_files — Files that use it.
        num_chunks — Column chunks that use it.
        compressed_bytes — Bytes of these chunks.
        example — One of the files.
        why — Why it is deprecated.
        """,
    ),
    View(
        "encryption_coverage",
        "Per column: encrypted chunks, by kind of key. Files whose footer is encrypted have a row of their own, because "
        "their columns are unknown.",
        """
        SELECT column_name,
               count(DISTINCT path) AS num_files,
               count(*) AS num_chunks,
               count(*) FILTER (WHERE encryption = 'footer key') AS footer_key_chunks,
               count(*) FILTER (WHERE encryption = 'column key') AS column_key_chunks,
               count(*) FILTER (WHERE locked) AS locked_chunks,
               CAST(avg(CASE WHEN encryption = 'none' THEN 0e0 ELSE 1e0 END) AS DOUBLE) AS share
        FROM column_chunks
        GROUP BY column_name
        UNION ALL
        SELECT '(encrypted footers)', count(*), 0, 0, 0, 0, CAST(1.0 AS DOUBLE)
        FROM files WHERE encryption = 'footer' AND status = 'error'
        HAVING count(*) > 0
        ORDER BY share DESC, column_name
        """,
        columns="""
        column_name — The leaf's dotted path, or (encrypted footers).
        num_files — Files that have it.
        num_chunks — Its column chunks.
        footer_key_chunks — Those encrypted with the footer's key.
        column_key_chunks — Those encrypted with a key of their own.
        locked_chunks — Those whose metadata cannot be read without a key.
        share — Share of the chunks that are encrypted.
        """,
    ),
)
