"""The files that are measured, written once into `.cache/bench` and found there from then on.

They are written by pyarrow (and one by DuckDB), from fixed seeds. `Files(quick=True)` has the same files, smaller.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parents[1] / ".cache" / "bench"

ENCODINGS: dict[str, tuple[str, str]] = {
    # what the values are, the encoding
    "plain_int32": ("int32", "PLAIN"),
    "plain_int64": ("int64", "PLAIN"),
    "plain_double": ("double", "PLAIN"),
    "plain_boolean": ("boolean", "PLAIN"),
    "plain_string": ("string", "PLAIN"),
    "rle_boolean": ("boolean runs", "RLE"),
    "dictionary_int64_10_bits": ("int64 of 1,000", "RLE_DICTIONARY"),
    "dictionary_int64_15_bits": ("int64 of 30,000", "RLE_DICTIONARY"),
    "dictionary_int64_runs": ("int64 of 1,000 in runs", "RLE_DICTIONARY"),
    "dictionary_string": ("string of 1,000", "RLE_DICTIONARY"),
    "plain_int64_nulls": ("int64, 20 % nulls", "PLAIN"),
    "delta_int64": ("int64", "DELTA_BINARY_PACKED"),
    "delta_length_string": ("string", "DELTA_LENGTH_BYTE_ARRAY"),
    "delta_string": ("string, sorted", "DELTA_BYTE_ARRAY"),
    "split_double": ("double", "BYTE_STREAM_SPLIT"),
    "split_float": ("float", "BYTE_STREAM_SPLIT"),
}
"""Columns of the file `encodings`."""


def hex_strings(rng: np.random.Generator, count: int, *, width: int = 16) -> pa.Array:
    """`count` strings of 8 to `width` hexadecimal digits."""
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    lengths = rng.integers(8, width + 1, count)
    offsets = np.zeros(count + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    data = digits[rng.integers(0, 16, int(offsets[-1]), dtype=np.uint8)]
    return pa.Array.from_buffers(pa.string(), count, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def values(kind: str, rows: int, rng: np.random.Generator) -> Any:
    """Values of one of the kinds that `ENCODINGS` names."""
    name, _, rest = kind.partition(" ")
    distinct = int(rest.split()[1].replace(",", "")) if rest.startswith("of") else 0
    if kind == "boolean runs":
        return np.repeat(rng.random(rows // 10 + 1) < 0.5, 10)[:rows]
    if name == "boolean":
        return rng.random(rows) < 0.5
    if kind == "string, sorted":
        return hex_strings(rng, rows).sort()
    if name.startswith("string"):
        if not distinct:
            return hex_strings(rng, rows)
        return pa.DictionaryArray.from_arrays(rng.integers(0, distinct, rows), hex_strings(rng, distinct)).cast(
            pa.string()
        )
    if distinct:
        entries = rng.integers(0, 1 << 62, distinct)
        if "runs" in rest:
            return np.repeat(entries[rng.integers(0, distinct, rows // 10 + 1)], 10)[:rows]
        return entries[rng.integers(0, distinct, rows)]
    if name.startswith(("double", "float")):
        return rng.random(rows).astype(np.float32 if name == "float" else np.float64)
    if kind == "int64, 20 % nulls":
        return pa.array(rng.integers(0, 1 << 62, rows), mask=rng.random(rows) < 0.2)
    if kind == "int32":
        return rng.integers(0, 1 << 31, rows).astype(np.int32)
    return np.cumsum(rng.integers(0, 1000, rows))


def _nine_columns(path: Path, rows: int, groups: int) -> None:
    """Row groups of `rows` rows, alike but for the numbers of the first column, which go on."""
    table = _mixed(np.random.default_rng(2), rows)
    with pq.ParquetWriter(
        path,
        table.schema,
        compression="snappy",
        data_page_size=20 << 10,
        write_page_index=True,
        use_dictionary=["int32_dictionary", "string_dictionary"],
        column_encoding={"int64_delta": "DELTA_BINARY_PACKED"},
    ) as writer:
        for group in range(groups):
            ids = pa.array(np.arange(group * rows, (group + 1) * rows))
            writer.write_table(table.set_column(0, "int64_delta", ids), row_group_size=rows)


class Files:
    """The files, each written when it is first asked for."""

    def __init__(self, *, quick: bool = False, folder: Path = FOLDER) -> None:
        self.quick = quick
        self._folder = folder / ("quick" if quick else "full")
        self._folder.mkdir(parents=True, exist_ok=True)

    def _get(self, name: str, write: Callable[[Path], None]) -> str:
        path = self._folder / name
        if not path.exists():
            print(f"writing {path}", flush=True)
            unfinished = path.with_suffix(".unfinished")
            write(unfinished)
            unfinished.rename(path)
        return str(path)

    @property
    def rows(self) -> int:
        """Rows of `encodings`, which has one row group."""
        return 200_000 if self.quick else 1_000_000

    @property
    def encodings(self) -> str:
        """A column for each of `ENCODINGS`, uncompressed, in pages of about 128 KB."""

        def write(path: Path) -> None:
            rng = np.random.default_rng(1)
            columns = {name: values(kind, self.rows, rng) for name, (kind, _) in ENCODINGS.items()}
            arrays = [pa.array(column) for column in columns.values()]
            fields = [
                pa.field(name, array.type, nullable=array.null_count > 0)
                for name, array in zip(columns, arrays, strict=True)
            ]
            by_dictionary = [n for n, (_, e) in ENCODINGS.items() if e == "RLE_DICTIONARY"]
            pq.write_table(
                pa.table(arrays, schema=pa.schema(fields)),
                path,
                row_group_size=self.rows,
                compression="none",
                use_dictionary=by_dictionary,
                column_encoding={n: e for n, (_, e) in ENCODINGS.items() if e not in ("PLAIN", "RLE_DICTIONARY")},
                data_page_size=128 << 10,
                dictionary_pagesize_limit=2 << 20,
                store_schema=False,
            )

        return self._get("encodings.parquet", write)

    @property
    def snappy(self) -> str:
        """The common encodings again, compressed with Snappy in pages of 1 MB, as writers do by default."""

        def write(path: Path) -> None:
            table = pq.read_table(self.encodings)
            pq.write_table(
                table,
                path,
                row_group_size=self.rows,
                use_dictionary=[n for n, (_, e) in ENCODINGS.items() if e == "RLE_DICTIONARY"],
                column_encoding={n: e for n, (_, e) in ENCODINGS.items() if e not in ("PLAIN", "RLE_DICTIONARY")},
                store_schema=False,
            )

        return self._get("snappy.parquet", write)

    @property
    def big(self) -> str:
        """About 930 MB: 20 of the row groups of `one_group`."""
        rows, groups = (100_000, 3) if self.quick else (1_000_000, 20)
        return self._get("big.parquet", lambda path: _nine_columns(path, rows, groups))

    @property
    def one_group(self) -> str:
        """About 48 MB: nine columns of different types in pages of 20 KB, Snappy, with page index."""
        rows = 100_000 if self.quick else 1_000_000
        return self._get("one-group.parquet", lambda path: _nine_columns(path, rows, 1))

    @property
    def wide(self) -> str:
        """10,000 columns × 10 row groups: a footer of 13 MB."""
        columns, groups = (1_000, 10) if self.quick else (10_000, 10)
        return self._get("wide.parquet", lambda path: _write_wide(path, columns, groups))

    @property
    def many(self) -> str:
        """1,000 columns × 1,000 row groups, of which only the footer counts: 118 MB of it."""

        def write(path: Path) -> None:
            columns, doublings = (1_000, 4) if self.quick else (1_000, 7)
            small = path.with_suffix(".few")
            _write_wide(small, columns, 10 if self.quick else 8)
            metadata = pq.read_metadata(small)
            for _ in range(doublings):
                metadata.append_row_groups(metadata)
            metadata.write_metadata_file(path)
            small.unlink()

        return self._get("many.parquet", write)

    @property
    def filtered(self) -> str:
        """1,000 columns × 1,000 row groups of ten rows, with statistics and page indexes; even columns ascend."""

        def write(path: Path) -> None:
            columns, groups = (100, 100) if self.quick else (1_000, 1_000)
            rng = np.random.default_rng(3)
            kinds = (pa.int64(), pa.float64())
            schema = pa.schema([(f"column_{i}", kinds[i % 2]) for i in range(max(columns, 502))])
            options: dict[str, Any] = {"use_dictionary": False, "write_page_index": True}
            with pq.ParquetWriter(path, schema, **options) as writer:
                for group in range(groups):
                    ascending = pa.array(np.arange(10) + group * 10)
                    some = [pa.array(rng.random(10)) if i % 2 else ascending for i in range(len(schema))]
                    writer.write_table(pa.Table.from_arrays(some, schema=schema))

        return self._get("filtered.parquet", write)

    def chunks(self, columns: int, groups: int) -> str:
        """So many column chunks of ten rows, of three types, by pyarrow's defaults; every third column ascends."""

        def write(path: Path) -> None:
            rng = np.random.default_rng(5)
            kinds = (pa.int64(), pa.float64(), pa.string())
            schema = pa.schema([(f"column_{i}", kinds[i % 3]) for i in range(columns)])
            with pq.ParquetWriter(path, schema) as writer:
                for group in range(groups):
                    of_kind = (
                        lambda group=group: np.arange(10) + group * 10,
                        lambda: rng.random(10),
                        lambda: [f"value {n}" for n in rng.integers(0, 100, 10)],
                    )
                    arrays = [pa.array(of_kind[i % 3]()) for i in range(columns)]
                    writer.write_table(pa.Table.from_arrays(arrays, schema=schema))

        return self._get(f"chunks_{columns}_{groups}.parquet", write)

    def checked(self, what: str) -> str:
        """What `check()` is measured on: "groups" (1 MB in 200 of them), "large", "nested", "pages" (of 4 KB), "eight" and "small" (48 MB in 8 and 200 row groups), or "many" (5,000 row groups)."""

        def write(path: Path) -> None:
            rng = np.random.default_rng(6)
            if what in ("eight", "small"):
                rows = 50_000 if self.quick else 400_000
                pq.write_table(_twelve(rng, rows), path, row_group_size=2_000 if what == "small" else rows // 8)
                return
            if what == "many":
                table = _twelve(rng, 20 * (500 if self.quick else 5_000)).select(
                    ["id", "double", "city", "small", "flag"]
                )
                pq.write_table(table, path, row_group_size=20)
                return
            rows = {"groups": 40_000, "large": 2_400_000}.get(what, 200_000)
            table = _mixed(rng, rows // 8 if self.quick else rows)
            options: dict[str, Any] = {}
            if what == "groups":
                flat = ["int64_delta", "double_nulls", "string_dictionary", "int32_dictionary"]
                table, options = table.select(flat), {"row_group_size": len(table) // 200}
            elif what == "nested":
                pairs = {name: table[name] for name in ("int64_delta", "string_plain")}
                struct = pa.StructArray.from_arrays([column.combine_chunks() for column in pairs.values()], list(pairs))
                table = table.select(["int64_delta", "list_int32"]).append_column("struct", struct)
            else:
                table = table.drop_columns(["list_int32"])
            if what == "pages":
                options = {"data_page_size": 4 << 10, "write_batch_size": 256}
                options["write_page_index"] = True
            pq.write_table(table, path, **options)

        return self._get(f"checked_{what}.parquet", write)

    def compared(self, what: str) -> str:
        """About 50 MB of several types: "first", the same in "smaller" row groups, "changed" in a value, "shuffled"."""

        def write(path: Path) -> None:
            table = _mixed(np.random.default_rng(8), 100_000 if self.quick else 1_000_000)
            options: dict[str, Any] = {"row_group_size": 1 << 18}
            if what == "smaller":
                options = {"row_group_size": 1 << 16}
            elif what == "changed":
                ids = table["int64_delta"].to_numpy().copy()
                ids[len(ids) // 2] += 1
                table = table.set_column(table.schema.get_field_index("int64_delta"), "int64_delta", pa.array(ids))
            elif what == "shuffled":
                table = table.take(np.random.default_rng(9).permutation(len(table)))
            pq.write_table(table, path, **options)

        return self._get(f"compared_{what}.parquet", write)

    def tried(self) -> str:
        """About 100 MB of nine columns in row groups of pyarrow's default size."""

        def write(path: Path) -> None:
            random = np.random.default_rng(1)
            count = 240_000 if self.quick else 2_400_000
            steps = np.cumsum(random.integers(0, 9_000_000, count))
            cities = np.array([f"city {i}" for i in range(300)])
            columns = {
                "id": np.arange(count),
                "price": np.round(random.lognormal(3, 1, count), 2),
                "noise": random.normal(size=count),
                "city": cities[random.integers(0, 300, count)],
                "name": [f"customer {i}" for i in random.integers(0, 1 << 30, count)],
                "at": pa.array(steps, pa.timestamp("us")),
                "quantity": random.integers(0, 100, count).astype(np.int32),
                "flag": random.random(count) < 0.3,
                "key": random.integers(0, 1 << 40, count),
            }
            pq.write_table(pa.table(columns), path)

        return self._get("tried.parquet", write)

    @property
    def bloom(self) -> str:
        """Three row groups with Bloom filters, by DuckDB."""

        def write(path: Path) -> None:
            import duckdb

            rows = 122_880
            duckdb.sql(
                f"copy (select (range * 7919) % 100000 as id from range({3 * rows})) to '{path}' "
                f"(format parquet, row_group_size {rows}, dictionary_size_limit 200000)"
            )

        return self._get("bloom.parquet", write)

    @property
    def encrypted(self) -> tuple[str, str]:
        """(encrypted, plain): 20 columns' worth of doubles in pages of 1 MB; the footer's key for all."""

        def write(path: Path, **options: Any) -> None:
            rng = np.random.default_rng(4)
            rows = 200_000 if self.quick else 2_000_000
            table = pa.table({"double": rng.random(rows), "string": hex_strings(rng, rows)})
            pq.write_table(table, path, use_dictionary=False, row_group_size=rows, **options)

        return self._get("encrypted.parquet", lambda path: write(path, encryption_properties=_encryption())), self._get(
            "unencrypted.parquet", write
        )


class LocalKeys:
    """A key management service that wraps keys in base64, which is no protection."""

    def unwrap_key(self, wrapped: str, name: str) -> bytes:
        return base64.b64decode(wrapped)


def _encryption() -> Any:
    """AES_GCM_V1 with one key for everything."""
    import pyarrow.parquet.encryption as pe

    class Keys(pe.KmsClient):
        def __init__(self, config: Any) -> None:
            pe.KmsClient.__init__(self)

        def wrap_key(self, key: bytes, name: str) -> bytes:
            return base64.b64encode(key)

        def unwrap_key(self, wrapped: str, name: str) -> bytes:
            return base64.b64decode(wrapped)

    factory = pe.CryptoFactory(Keys)
    config = pe.EncryptionConfiguration(
        footer_key="k", uniform_encryption=True, double_wrapping=False, data_key_length_bits=128
    )
    return factory.file_encryption_properties(pe.KmsConnectionConfig(), config)


def _mixed(rng: np.random.Generator, rows: int) -> pa.Table:
    offsets = np.zeros(rows + 1, np.int32)
    np.cumsum(rng.integers(0, 5, rows), out=offsets[1:])
    elements = rng.integers(0, 1_000_000, int(offsets[-1])).astype(np.int32)
    return pa.table(
        {
            "int64_delta": np.arange(rows),
            "int64_plain": rng.integers(-(2**62), 2**62, rows),
            "int32_dictionary": rng.integers(0, 500, rows).astype(np.int32),
            "double_plain": rng.random(rows),
            "double_nulls": pa.array(rng.random(rows), mask=rng.random(rows) < 0.2),
            "string_dictionary": values("string of 1,000", rows, rng),
            "string_plain": hex_strings(rng, rows),
            "list_int32": pa.ListArray.from_arrays(pa.array(offsets), pa.array(elements)),
            "boolean": rng.random(rows) < 0.5,
        }
    )


def _twelve(rng: np.random.Generator, rows: int) -> pa.Table:
    """Flat columns of 120 bytes a row."""
    cities = hex_strings(rng, 1_000)
    return pa.table(
        {
            "id": np.arange(rows),
            "key": rng.integers(-(2**62), 2**62, rows),
            "small": rng.integers(0, 500, rows).astype(np.int32),
            "double": rng.random(rows),
            "nulls": pa.array(rng.random(rows), mask=rng.random(rows) < 0.2),
            "city": cities.take(pa.array(rng.integers(0, len(cities), rows))),
            "text": hex_strings(rng, rows, width=32),
            "flag": rng.random(rows) < 0.5,
            "time": pa.array(np.cumsum(rng.integers(0, 10**7, rows)), pa.timestamp("us")),
            "code": hex_strings(rng, rows, width=48),
            "float": rng.random(rows).astype(np.float32),
            "price": np.round(rng.lognormal(3, 1, rows), 2),
        }
    )


def _write_wide(path: Path, columns: int, groups: int) -> None:
    """Ten rows a row group, of doubles, with statistics."""
    rng = np.random.default_rng(3)
    schema = pa.schema([(f"column_{i}", pa.float64()) for i in range(columns)])
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for _ in range(groups):
            data = rng.random((columns, 10))
            writer.write_table(pa.Table.from_arrays([pa.array(row) for row in data], schema=schema))
