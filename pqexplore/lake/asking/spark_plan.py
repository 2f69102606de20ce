"""The plan of a lake whose tables are Spark's DataFrames: Spark collects the distinct cases, and the driver judges them.

Two jobs give the cases. The first gives chunks of each equivalence class for each test (`equivalence_classes`), about which the
engine is asked here. The second gives each combination of rulings, folders and family that a row group has, which is
judged here as for Arrow's tables (`verdicts`). What was found is joined to the row groups; nothing of it is worked out
in expressions of Spark, and no function of Python runs on its nodes.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.ask.bound import Test, tests
from pqexplore.insight.ask.pruning_result import ROWS
from pqexplore.insight.ask.wrong_rows import Careful
from pqexplore.lake.asking.arrow_cases import MOST_DISTRUSTED, TOO_MANY, folder_column
from pqexplore.lake.asking.clauses import path_of, tops_of
from pqexplore.lake.asking.equivalence_classes import COLUMNS, signature
from pqexplore.lake.asking.lake_plan import INCOMPLETE, KEPT, UNREADABLE, Counts, LakePlan, LostRows
from pqexplore.lake.asking.made_footers import ABSENT, FOLDER, HIGH, LOW, NULLS, PLACES, Row, ask_about, place
from pqexplore.lake.asking.partitions import Partitions, value_of
from pqexplore.lake.asking.schemas import Families, footers_of
from pqexplore.lake.asking.stored_tables import (
    BELIEVED,
    BY_LOG_SINCE,
    FILE_COLUMNS,
    projected,
    renamed_tops,
    stored_footer,
)
from pqexplore.lake.asking.verdicts import STAGES, Column, Indexes, Verdict, judged

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

    from pqexplore.insight.ask import predicate
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.schemas import Family
    from pqexplore.lake.lake import Lake

MOST_FOLDERS = 100_000
"""Max distinct folders of partitions."""

MOST_CASES = 1_000_000
"""Max distinct combinations of rulings, folders and family."""

_WORDS = ("by", "reason", "evidence")
_CASE = ("test", "writer", "signature", "raw")
"""What chunks have in common that get the same ruling."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Question:
    """A test of a family for an engine, and its number among all tests, those about folders included."""

    number: int
    engine: Engine
    family: int
    test: Test


class SparkLakePlan(LakePlan):
    """The plan of a lake whose `files` and `row_groups` are DataFrames."""

    def __init__(
        self,
        lake: Lake,
        session: SparkSession,
        where: str,
        clause: predicate.Clause,
        engine: Engine,
        columns: Sequence[str] | None,
        only: Collection[str] | None,
    ) -> None:
        self._session = session
        self._files = _files(lake, session, only)
        self._schemas = lake._store.read(lake.manifest, "schemas")
        super().__init__(lake, where, clause, engine, columns, self._bound(lake, clause))
        self._engines = [engine] if engine.name == "format" else [engine, Careful(engine)]
        self._used = [[each.usable(one.bound, one.schema) for one in self.families.all] for each in self._engines]
        self._decide()

    def _bound(self, lake: Lake, clause: predicate.Clause) -> Families:
        files = self._files
        texts = [row[0] for row in files.select("folder").distinct().limit(MOST_FOLDERS + 1).collect()]
        if len(texts) > MOST_FOLDERS:
            raise UsageError(f"the lake has more than {MOST_FOLDERS:,} different folders")
        self._texts = texts
        ids = {
            row["schema_id"]: row
            for row in files.where("status = 'ok' AND schema_id IS NOT NULL")
            .groupBy("schema_id")
            .agg(
                F.count("*").alias("files"),
                F.max(F.col("table_path").isNotNull()).alias("tabled"),
                F.min("path").alias("path"),
            )
            .collect()
        }
        self._schema_files = {name: row["files"] for name, row in ids.items()}
        stored = footers_of(self._schemas.select(["schema_id", "leaf", "footer"]).to_pylist())
        tabled = {name for name, row in ids.items() if row["tabled"]}
        return Families(
            clause,
            {name: stored.get(name) for name in ids}.items(),
            Partitions(texts),
            tabled,
            renamed_tops(self._schemas, tabled),
            lambda name: stored_footer(lake, ids[name]["path"]),
        )

    # The verdicts.

    def _decide(self) -> None:
        session = self._session
        placed = [(name, one.family) for name, one in self.families.placed.items()]
        of_schema = session.createDataFrame(placed, "schema_id string, family int")
        files = self._files.join(F.broadcast(of_schema), "schema_id", "left")
        readable = (F.col("status") == "ok") & F.col("family").isNotNull()
        files = files.withColumn("family", F.when(readable, F.col("family")).otherwise(-1))
        files = files.join(F.broadcast(self._folders()), "folder", "left")
        questions = self._questions()
        groups = self._groups().join(files.select("path", "family", "code", "shown"), "path")
        kinds: dict[int, Column] = {}
        if questions:
            kinds, rulings = self._ruled(questions, files)
            groups = groups.join(rulings, ["path", "row_group"], "left")
        self._by_group = self._judged(groups, questions, kinds)
        self._by_file = self._of_files(files)

    def _folders(self) -> DataFrame:
        """The folders: `code` is equal for those with the same rulings, `shown` what is filled in for each test.

        `stage`, `by` and `said` are the verdict about a file that cannot be read. Sets `_by_folder`: for each test the
        rulings by code.
        """
        every = [
            test for family in (*self.families.all, self.families.unreadable) for test in family.partitions.values()
        ]
        texts = self._texts
        of_text = [folder_column(one, i, np.arange(len(texts)), texts) for i, one in enumerate(every)]
        first, codes = np.zeros(min(1, len(texts)), np.int64), np.zeros(len(texts), np.int64)
        if of_text and texts:
            stacked = np.stack([one.of_group for one in of_text], axis=1)
            _, first, codes = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
        self._by_folder = {
            id(one.test): (i, Column(one.test, one.kinds, one.of_group[first])) for i, one in enumerate(of_text)
        }
        keys = [path_of(one.clause)[0] for one in every]
        family = self.families.unreadable
        own = [of_text[self._by_folder[id(test)][0]] for test in family.partitions.values()]
        verdicts, index = judged(family, family.bound, self.engine, own, [], np.zeros(len(texts), bool))
        rows = []
        for text, code, at in zip(texts, codes.reshape(-1).tolist(), index.tolist(), strict=True):
            shown = [printable(f"{key}={value_of(text, key)}") for key in keys]
            one = verdicts[at]
            said = PLACES.sub(lambda found, shown=shown: shown[int(found[2])], one.ruling.said)  # type: ignore[misc]
            rows.append((text, code, shown, KEPT if one.kept else one.stage, one.ruling.by, said))
        return self._session.createDataFrame(
            rows, "folder string, code int, shown array<string>, own_stage int, own_by string, own_said string"
        )

    def _questions(self) -> list[_Question]:
        """The tests that statistics can decide, of each engine."""
        number = len(self._by_folder)
        made = []
        for engine, used in zip(self._engines, self._used, strict=True):
            for family, bound in enumerate(used):
                for test in tests(bound):
                    made.append(_Question(number, engine, family, test))
                    number += 1
        return made

    def _ruled(self, questions: Sequence[_Question], files: DataFrame) -> tuple[dict[int, Column], DataFrame]:
        """The rulings of each test, and a DataFrame (path, row_group, and for each test N a struct tN).

        The struct has the number of the ruling (`kind`), and what is filled in its text.
        """
        places = [
            (schema_id, placed.leaves[one.test.leaf.leaf_index], one.number)
            for schema_id, placed in self.families.placed.items()
            for one in questions
            if one.family == placed.family
        ]
        asked = self._session.createDataFrame(places, "schema_id string, leaf int, test int")
        rows = _chunks(self.lake, self._schemas, self.clause).join(
            files.select("path", "schema_id", "created_by"), "path"
        )
        rows = rows.join(F.broadcast(asked), ["schema_id", "leaf"])
        code: Any = F
        for one in questions:
            code = code.when(F.col("test") == one.number, signature(one.test, _holds))
        # The order of bounds that are not trusted is not stored: those of other values are other cases.
        apart = F.col("test").isin([one.number for one in questions if one.engine.name != "format"])
        distrusted = apart & (F.col("bounds") != "trusted") & F.col("min_raw").isNotNull()
        raw = F.when(distrusted, F.concat(F.hex("min_raw"), F.lit("-"), F.coalesce(F.hex("max_raw"), F.lit(""))))
        rows = rows.withColumns(
            {
                "signature": code,
                "raw": F.coalesce(raw, F.lit("")),
                "writer": F.coalesce(F.concat(F.lit("="), F.col("created_by")), F.lit("")),
            }
        )
        kinds, answers = self._answers(rows, questions)
        known = self._session.createDataFrame(answers, "test int, writer string, signature long, raw string, kind int")
        rows = rows.join(F.broadcast(known), list(_CASE), "left")
        ruling = F.struct(F.coalesce("kind", F.lit(1)).alias("kind"), "min_text", "max_text", "null_count")
        return kinds, rows.groupBy("path", "row_group").agg(
            *(F.first(F.when(F.col("test") == one.number, ruling), True).alias(f"t{one.number}") for one in questions)
        )

    def _answers(
        self, rows: DataFrame, questions: Sequence[_Question]
    ) -> tuple[dict[int, Column], list[tuple[Any, ...]]]:
        """The rulings of each test by its number: none stored, too many to ask, those that follow; and those of cases."""
        stored = F.struct(*COLUMNS)
        found = rows.groupBy(*_CASE).agg(F.min(stored).alias("first"), F.max(stored).alias("last"))
        cases = found.where("raw = ''").collect()
        apart = sum(one.engine.name != "format" for one in questions)
        if apart:
            cases += found.where("raw <> ''").limit(MOST_DISTRUSTED * apart).collect()
        by_number = {one.number: one for one in questions}
        some: dict[tuple[int, str], list[Any]] = {}
        for row in cases:
            some.setdefault((row["test"], row["writer"]), []).append(row)
        kinds = {one.number: [dataclasses.replace(ABSENT, clause=one.test.sql), TOO_MANY] for one in questions}
        answers = []
        for (number, writer), members in some.items():
            one = by_number[number]
            family = self.families.all[one.family]
            examples = [[_example(family, one.test, row[end].asDict()) for end in ("first", "last")] for row in members]
            made = ask_about(family, writer[1:] if writer else None, one.engine, one.test, number, examples)
            for row, ruling in zip(members, made, strict=True):
                answers.append((*(row[key] for key in _CASE), len(kinds[number])))
                kinds[number].append(ruling)
        once = {n: Column(by_number[n].test, some_, np.arange(len(some_))).once() for n, some_ in kinds.items()}
        return once, [(*case[:-1], int(once[case[0]].of_group[case[-1]])) for case in answers]

    def _judged(self, groups: DataFrame, questions: Sequence[_Question], kinds: Mapping[int, Column]) -> DataFrame:
        """The row groups with the stage that skips each, and why; `verdict` and `instead` say where rows may be lost."""
        rulings = {f"k{one.number}": F.coalesce(f"t{one.number}.kind", F.lit(0)) for one in questions}
        empty = F.coalesce((F.col("num_rows") == 0).cast("int"), F.lit(0))
        groups = groups.withColumns({**rulings, "empty": empty})
        key = ["family", "code", "empty", *rulings]
        cases = (
            groups.groupBy(*key)
            .agg(F.count("*").alias("groups"), F.sum("bytes").alias("bytes"))
            .limit(MOST_CASES + 1)
            .collect()
        )
        if len(cases) > MOST_CASES:
            raise UsageError(f"the condition has more than {MOST_CASES:,} different cases in the lake; ask it in parts")
        verdicts, of_case = self._of_cases(cases, key, questions, kinds)
        session = self._session
        fields = "".join(f"{name} int, " for name in key)
        known_cases = session.createDataFrame(of_case, f"{fields}verdict int")
        said = "stage int, by string, reason string, evidence string, instead string"
        groups = groups.join(F.broadcast(known_cases), key, "left").join(
            F.broadcast(session.createDataFrame(verdicts, f"verdict int, {said}")), "verdict", "left"
        )
        texts = [text for one in verdicts for text in one[3:] if text]
        used = sorted({found for text in texts for found in PLACES.findall(text)})
        return groups.withColumns(
            {
                "stage": F.coalesce("stage", F.lit(KEPT)),
                "by": F.coalesce("by", F.lit("")),
                "reason": F.coalesce(_filled("reason", used), F.lit("")),
                "evidence": F.coalesce(_filled("evidence", used), F.lit("")),
                "instead": _filled("instead", used),
            }
        )

    def _of_cases(
        self, cases: Sequence[Any], key: Sequence[str], questions: Sequence[_Question], kinds: Mapping[int, Column]
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """The distinct verdicts as rows (verdict, stage, by, reason, evidence, instead), and the verdict of each case.

        `instead` is the reason of a careful reader to read what the engine skips. Sets `_stages` and `_loses`.
        """
        verdicts: list[tuple[Any, ...]] = []
        of_case = []
        self._stages = [(KEPT, row["groups"], row["bytes"]) for row in cases if row["family"] < 0]
        for family, members in _by_family(cases).items():
            found = [self._verdicts(family, members, at, questions, kinds) for at in range(len(self._engines))]
            known: dict[tuple[int, ...], int] = {}
            for row, *at in zip(members, *(index.tolist() for _, index in found), strict=True):
                own, *careful = (some[i] for (some, _), i in zip(found, at, strict=True))
                stage = KEPT if own.kept else own.stage
                if tuple(at) not in known:
                    known[tuple(at)] = len(verdicts)
                    instead = careful[0].ruling.said if careful and careful[0].kept and not own.kept else None
                    words = own.ruling.by, own.ruling.said, own.ruling.evidence
                    verdicts.append((len(verdicts), stage, *words, instead))
                of_case.append((*(row[name] for name in key), known[tuple(at)]))
                self._stages.append((stage, row["groups"], row["bytes"]))
        self._loses = any(one[-1] is not None for one in verdicts)
        return verdicts, of_case

    def _verdicts(
        self, number: int, cases: Sequence[Any], at: int, questions: Sequence[_Question], kinds: Mapping[int, Column]
    ) -> tuple[list[Verdict], Indexes]:
        """The verdicts of the engine number `at` about the cases of a family, and the verdict of each case."""
        family, engine = self.families.all[number], self._engines[at]
        codes = np.array([row["code"] for row in cases], np.int64)
        folders = [self._by_folder[id(test)][1] for test in family.partitions.values()]
        folders = [dataclasses.replace(one, of_group=one.of_group[codes]) for one in folders]
        chunks = [
            Column(one.test, kinds[one.number].kinds, np.array([row[f"k{one.number}"] for row in cases], np.int64))
            for one in questions
            if one.family == number and one.engine is engine
        ]
        empty = np.array([row["empty"] for row in cases], bool)
        return judged(family, self._used[at][number], engine, folders, chunks, empty)

    def _groups(self) -> DataFrame:
        groups = self.lake.tables["row_groups"].select(
            "path", "row_group", "num_rows", F.col("compressed_bytes").alias("bytes")
        )
        if self.columns is not None:
            known = pc.unique(self._schemas["column_name"]).to_pylist()
            names = sorted(projected(known, self.columns, self.clause))
            sizes = (
                self.lake.tables["column_chunks"]
                .where(F.col("column_name").isin(names))
                .groupBy("path", "row_group")
                .agg(F.sum("compressed_bytes").alias("bytes"))
            )
            groups = groups.drop("bytes").join(sizes, ["path", "row_group"], "left")
        found: DataFrame = groups.withColumn("bytes", F.coalesce("bytes", F.lit(0)))
        return found

    def _of_files(self, files: DataFrame) -> DataFrame:
        """A row for each file, with the stage that skips it and why."""
        rank = F.when(F.col("stage") < 0, len(STAGES)).otherwise(F.col("stage"))
        deciding = F.struct(rank.alias("rank"), (-F.col("row_group")).alias("at"), "by", "reason")
        each = self._by_group.groupBy("path").agg(
            F.count("*").alias("of_row_groups"),
            F.sum((F.col("stage") < 0).cast("long")).alias("row_groups"),
            F.max("stage").alias("last"),
            F.max(deciding).alias("deciding"),
        )
        rows = files.join(each, "path", "left").fillna(0, ["of_row_groups", "row_groups"])
        unreadable, skipped = F.col("family") < 0, F.col("own_stage") >= 0
        incomplete = F.col("of_row_groups") != F.coalesce(F.col("num_row_groups"), F.lit(0))
        empty = F.col("of_row_groups") == 0
        error = F.concat(F.lit(UNREADABLE), F.coalesce("error", F.lit("unknown error")))
        cases: dict[str, tuple[Any, ...]] = {
            # what is said of a file that cannot be read, by its folder or not; of others
            "stage": (F.col("own_stage"), F.lit(KEPT), KEPT, STAGES.index(ROWS), F.col("last")),
            "by": (F.col("own_by"), F.lit(""), "", ROWS, F.col("deciding.by")),
            "reason": (F.col("own_said"), error, INCOMPLETE, "it has no row groups", F.col("deciding.reason")),
        }
        alive = {"stage": incomplete | (F.col("row_groups") > 0)}
        return rows.withColumns(
            {
                name: F.when(unreadable, F.when(skipped, own).otherwise(lost))
                .when(alive.get(name, incomplete), kept)
                .when(empty, none)
                .otherwise(other)
                for name, (own, lost, kept, none, other) in cases.items()
            }
        )

    # The outcome.

    @property
    def files(self) -> DataFrame:
        """A row for each file: file, kept, by, reason, row_groups (that are read), of_row_groups, size."""
        kept = (F.col("stage") < 0).alias("kept")
        return self._by_file.select(
            F.col("path").alias("file"), kept, "by", "reason", "row_groups", "of_row_groups", "size"
        )

    @property
    def row_groups(self) -> DataFrame:
        """A row for each row group: file, row_group, num_rows, kept, by, reason, evidence, bytes (that would be read)."""
        return self._by_group.select(
            F.col("path").alias("file"), "row_group", "num_rows", (F.col("stage") < 0).alias("kept"), *_WORDS, "bytes"
        )

    @property
    def kept(self) -> list[str]:
        """The paths of the files that are read."""
        return [row["path"] for row in self._by_file.where("stage < 0").select("path").collect()]

    @functools.cached_property
    def counts(self) -> Counts:
        """Files, row groups and bytes by stage: one job, over files."""
        files = (
            self._by_file.groupBy("stage", (F.col("family") < 0).alias("unreadable"))
            .agg(F.count("*").alias("files"), F.sum("size").alias("size"))
            .collect()
        )
        damaged = [row for row in files if row["unreadable"]]
        return Counts(
            _sums((row["stage"], row["files"]) for row in files),
            _sums((stage, groups) for stage, groups, _ in self._stages),
            _sums((stage, size) for stage, _, size in self._stages),
            {row["stage"]: row["files"] for row in damaged},
            {row["stage"]: row["size"] or 0 for row in damaged},
            sum(row["size"] or 0 for row in files),
        )

    def first_files(self, count: int) -> list[dict[str, Any]]:
        """The first rows of `files`, those that are read before those that are skipped."""
        rows = self.files.orderBy(F.col("kept").desc(), "file").limit(count).collect()
        return [row.asDict() for row in rows]

    def _lost(self) -> Iterator[LostRows]:
        if not self._loses:
            return
        example = F.min(F.struct("path", "row_group", "reason", "instead")).alias("example")
        found = (
            self._by_group.where("instead IS NOT NULL")
            .groupBy("verdict")
            .agg(
                F.count_distinct("path").alias("files"),
                F.count("*").alias("groups"),
                F.sum(F.greatest("num_rows", F.lit(0))).alias("rows"),
                example,
            )
        )
        for row in found.collect():
            path, _, why, instead = row["example"]
            counts = row["files"], row["groups"], row["rows"] or 0
            yield LostRows.of(self.engine, *counts, printable(path), why, instead)

    def _assumed(self) -> Iterator[str]:
        old = self.lake.manifest.schema_version < BY_LOG_SINCE
        if old and self.families.unreadable.partitions:
            tabled = self._files.where("table_path IS NOT NULL AND folder <> ''")
            if tabled.limit(1).collect():
                yield BELIEVED

    def _family_files(self) -> Sequence[int]:
        counts = [0] * len(self.families.all)
        for name, one in self.families.placed.items():
            counts[one.family] += self._schema_files.get(name, 0)
        return counts

    def _damaged(self) -> tuple[list[Mapping[str, Any]], int]:
        rows = self._by_file.where("family < 0 AND stage < 0").orderBy("path").limit(3).collect()
        return [row.asDict() for row in rows], self.counts.unreadable.get(KEPT, 0)

    def _row(self, file: str) -> Mapping[str, Any] | None:
        found = self._files.where(F.col("path") == file).limit(1).collect()
        return found[0].asDict() if found else None

    def _to_verify(self, most: int) -> tuple[list[str], set[tuple[str, int]], int]:
        lost = self._by_group.where("instead IS NOT NULL").select("path", F.lit(1).alias("lost")).distinct()
        files = self._by_file.select("path", "stage").join(lost, "path", "left").where("stage < 0 OR lost = 1")
        paths = [row["path"] for row in files.orderBy(F.col("lost").desc_nulls_last(), "path").limit(most).collect()]
        rows = self._by_group.where(F.col("path").isin(paths) & (F.col("stage") < 0)).select("path", "row_group")
        return paths, {(path, group) for path, group in rows.collect()}, files.count() - len(paths)


_COMPARE = {"=": operator.eq, ">": operator.gt, ">=": operator.ge}


def _holds(sign: str, column: str, other: Any) -> SparkColumn:
    """See `equivalence_classes.Holds`."""
    value = F.col(column)
    if sign == "null":
        found = value.isNull()
    elif sign == "same":
        found = value == F.col(other)
    else:
        found = _COMPARE[sign](value, F.lit(bytearray(other) if isinstance(other, bytes) else other))
    return F.coalesce(found.cast("long"), F.lit(0).cast("long"))


def _example(family: Family, test: Test, row: dict[str, Any]) -> list[Row | None]:
    """The chunks of a row group: the one of the test, and what its `bounds` say of the `value` beside it."""
    from pqexplore.engine.format.variant.bounds import VALUES, value_beside

    made: list[Row | None] = [None] * len(family.schema.leaves)
    made[test.leaf.leaf_index] = row
    value = value_beside(test.leaf)
    if value is not None:
        nulls = {"trusted": row["num_values"], VALUES: 0}.get(row["bounds"])
        known = {"num_values": row["num_values"], "null_count": nulls, "statistics": "counts", "bounds": "none"}
        made[value.leaf_index] = dict.fromkeys(COLUMNS) | known
    return made


def _filled(name: str, places: Sequence[tuple[str, str]]) -> SparkColumn:
    """A text of a verdict with the values of the row group at its places, which are (kind, number of the test)."""
    text = F.col(name)
    for kind, number in places:
        value: SparkColumn = F.lit("")
        if kind == FOLDER:
            value = F.col("shown")[int(number)]
        elif kind == NULLS:
            value = F.format_number(F.coalesce(f"t{number}.null_count", F.lit(0)), 0)
        else:
            value = F.col(f"t{number}.{ {LOW: 'min_text', HIGH: 'max_text'}[kind] }")
        text = F.replace(text, F.lit(place(kind, int(number))), F.coalesce(value, F.lit("")))
    return text


def _by_family(cases: Sequence[Any]) -> dict[int, list[Any]]:
    """The cases of row groups of files that can be read, by family."""
    found: dict[int, list[Any]] = {}
    for row in cases:
        if row["family"] >= 0:
            found.setdefault(row["family"], []).append(row)
    return found


def _sums(pairs: Any) -> dict[int, int]:
    found: dict[int, int] = {}
    for stage, count in pairs:
        found[stage] = found.get(stage, 0) + (count or 0)
    return found


def _files(lake: Lake, session: SparkSession, only: Collection[str] | None) -> DataFrame:
    table: Any = lake.tables["files"]
    found: DataFrame = table.where("status IN ('ok', 'error')").select(*FILE_COLUMNS)
    if only is not None:
        paths = session.createDataFrame([(path,) for path in only], "path string")
        found = found.join(paths, "path", "left_semi")
    return found.withColumn("folder", F.coalesce("partition_values", F.lit("")))


def _chunks(lake: Lake, schemas: pa.Table, clause: predicate.Clause) -> DataFrame:
    """The chunks of the columns of a condition."""
    tops = pa.array(sorted(tops_of(clause)), pa.string())
    named = schemas["column_name"].filter(pc.is_in(pc.utf8_lower(schemas["top_level"]), tops))
    table: Any = lake.tables["column_chunks"]
    wanted = pc.unique(named).to_pylist()
    found: DataFrame = table.where(F.col("column_name").isin(wanted)).select("path", "row_group", "leaf", *COLUMNS)
    return found
