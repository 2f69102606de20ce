"""What is said of Spark 4.3 and parquet-java 1.17, each with its source.

`run` is True where tests/spark/test_ask_spark_profile.py runs both and compares.
"""

from __future__ import annotations

from pqexplore.insight.ask.engines.engine import Statement

_JAVA = "https://github.com/apache/parquet-java/blob/apache-parquet-1.17.0"
_FILTER = f"{_JAVA}/parquet-hadoop/src/main/java/org/apache/parquet/filter2"
_CONVERTER = f"{_JAVA}/parquet-hadoop/src/main/java/org/apache/parquet/format/converter/ParquetMetadataConverter.java"
_INDEX = f"{_JAVA}/parquet-column/src/main/java/org/apache/parquet/internal"
_SPARK = "https://github.com/apache/spark/blob/v4.3.0/sql"
_PUSHDOWN = f"{_SPARK}/core/src/main/scala/org/apache/spark/sql/execution/datasources/parquet/ParquetFilters.scala"
_OPTIMIZER = f"{_SPARK}/catalyst/src/main/scala/org/apache/spark/sql/catalyst/optimizer"


def _run(text: str, source: str, since: str = "") -> Statement:
    return Statement(text, source, since, run=True)


STATEMENTS: tuple[Statement, ...] = (
    _run(
        "A row group is asked for its bounds, then its dictionaries, then its Bloom filters; then its column indexes.",
        f"{_FILTER}/compat/RowGroupFilter.java",
        "parquet-java 1.12.0 has all four",
    ),
    _run(
        "Each of them judges the whole condition: of `a OR b`, one that rules out a and another one that rules out b skip nothing.",
        f"{_FILTER}/compat/RowGroupFilter.java",
    ),
    _run(
        "Nothing is pushed about unsigned integers, TIMESTAMP without time zone, INT96, ENUM, JSON, DECIMAL in BYTE_ARRAY, "
        "and elements of lists and maps; not even IS NULL.",
        _PUSHDOWN,
    ),
    _run(
        "Nothing is pushed about a column whose schema element has a type_length, unless its type is DECIMAL or "
        "FIXED_LEN_BYTE_ARRAY: fastparquet writes one for numbers and booleans.",
        _PUSHDOWN,
    ),
    _run("AND pushes the parts that can be pushed; OR is pushed only if each part is.", _PUSHDOWN),
    _run(
        "IN with more than 10 values compares only its smallest and largest value with bounds. NOT IN with more than 10 values "
        "is not pushed.",
        f"{_FILTER}/statisticslevel/StatisticsFilter.java",
    ),
    _run("IN with NULL in the list also keeps what has nulls, and is not asked of dictionaries.", _PUSHDOWN),
    _run(
        "Spark adds IS NOT NULL for the columns of comparisons and LIKE under AND, and pushes it.",
        f"{_OPTIMIZER}/Optimizer.scala (InferFiltersFromConstraints)",
    ),
    _run(
        "LIKE is pushed as startswith, endswith or contains; bounds answer only startswith, dictionaries all of them.",
        _PUSHDOWN,
    ),
    _run(
        "A cast of an integer, FLOAT, DECIMAL or DATE column to a type that holds its values is turned round to the literal, and "
        "pushed; a cast of BIGINT or DECIMAL to DOUBLE is not.",
        f"{_OPTIMIZER}/UnwrapCastInBinaryComparison.scala",
    ),
    _run("Of functions and arithmetic, at most IS NOT NULL of their columns is pushed.", _PUSHDOWN),
    _run("Of booleans, only = is pushed.", _PUSHDOWN),
    _run(
        "min_value and max_value are used also if the footer has no column_orders; not with an order other than TYPE_ORDER.",
        _CONVERTER,
    ),
    _run(
        "The deprecated min and max are used only if both are the same, or the type is ordered as a signed number; never for DECIMAL.",
        _CONVERTER,
    ),
    _run(
        "Deprecated bounds of BYTE_ARRAY are not used if parquet-mr before 1.8.0 wrote them (PARQUET-251).",
        f"{_JAVA}/parquet-column/src/main/java/org/apache/parquet/CorruptStatistics.java",
    ),
    _run(
        "Bounds are used although they say nothing of NaN: `= NaN` and `> x` lose the rows with NaN if the writer left NaN out "
        "of the bounds. parquet-java's own writer leaves the bounds out instead.",
        f"{_FILTER}/statisticslevel/StatisticsFilter.java",
    ),
    _run(
        "Bounds of zero cover both zeros, but dictionaries and Bloom filters tell −0.0 from 0.0: `= 0.0` loses the rows of the "
        "other sign.",
        f"{_FILTER}/dictionarylevel/DictionaryFilter.java",
    ),
    _run(
        "A literal is cut to milliseconds for a column of milliseconds: `<`, `<>` and `=` with a finer literal ask for another "
        "instant.",
        _PUSHDOWN,
    ),
    _run(
        "Column indexes narrow the rows of a row group only if every column that the query reads has an offset index.",
        f"{_INDEX}/filter2/columnindex/ColumnIndexFilter.java",
        "parquet-java 1.11.0",
    ),
    _run(
        "Row ranges of several columns are intersected for AND, united for OR.",
        f"{_INDEX}/filter2/columnindex/ColumnIndexFilter.java",
    ),
    _run(
        "Bloom filters answer = and IN, the latter also with more than 10 values.",
        f"{_FILTER}/bloomfilterlevel/BloomFilterImpl.java",
        "parquet-java 1.12.0",
    ),
    _run(
        "Without encoding_stats, a dictionary is asked only if the encodings name PLAIN_DICTIONARY.",
        f"{_FILTER}/dictionarylevel/DictionaryFilter.java",
    ),
    _run(
        "Spark's optimizer finds contradictions such as `i = 5 AND i = 6`, and then reads nothing; a plan does not know this.",
        f"{_OPTIMIZER}/expressions.scala (ConstantPropagation)",
    ),
    Statement(
        "The bounds of a column index are taken as they are: zeros are not widened, NaN counts as the largest number.",
        f"{_INDEX}/column/columnindex/DoubleColumnIndexBuilder.java",
    ),
    Statement(
        "The boundary_order of a column index is believed, and searched by halving. The plan looks at each page: it differs only "
        "if the order is wrong.",
        f"{_INDEX}/column/columnindex/BoundaryOrder.java",
    ),
    Statement(
        "Byte ranges are joined if they touch, and read in requests of at most 8 MiB; a file system with vectored reads may join more.",
        f"{_JAVA}/parquet-hadoop/src/main/java/org/apache/parquet/hadoop/ParquetFileReader.java",
        "vectored reads by default since parquet-java 1.16",
    ),
    Statement(
        "parquet-java 1.18 knows IEEE 754 total order and nan_count, and its filters keep what may have NaN.",
        "https://github.com/apache/parquet-java/pull/3393",
        "parquet-java 1.18, which Spark 4.3 does not have",
    ),
)  # fmt: skip
