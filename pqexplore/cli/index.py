"""`pqexplore index DIR`: data skipping indexes in a Parquet Metadatastore: what they hold, and what a query skips."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pqexplore.cli import keys, notebook_variables, text_tables
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.insight.json_values import Json
    from pqexplore.lake.metadatastore import Evaluation, Store

DESCRIPTION = """\
Describe a Parquet Metadatastore (the format of xskipper): its version, its indexes, and what is wrong with it. With
--probe, say which objects (files) a query with a condition skips, and why. With --where, list the files of the table that
the query must read, and what has changed since the store was written. DIR is a store, or a folder with one; of a folder
with several, name them."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("dir", metavar="DIR", help="a metadatastore, or a folder of some")
    made.add_argument("--table", metavar="ID", help="the store of this table, of several in DIR")
    made.add_argument("--objects", action="store_true", help="list the objects with their values")
    made.add_argument("--probe", metavar="SQL", help="which objects a query with a condition skips")
    made.add_argument("--where", metavar="SQL", help="the files that a query must read now")
    made.add_argument("--dataset", metavar="PATH", help="with --where: where the table's files are")
    made.add_argument(
        "--mode",
        choices=("sound", "xskipper"),
        default="sound",
        help="with --probe: what can be skipped (sound), or what xskipper skips, and where it loses rows",
    )
    made.add_argument("--timezone", metavar="ZONE", help="the zone of timestamps in the condition")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    if sum(map(bool, (asked.objects, asked.probe, asked.where))) > 1:
        raise Refused("--objects, --probe and --where do not go together")
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.lake import metadatastore

    try:
        asked.dir = notebook_variables.one(asked.dir)
        decryption = keys.decryption(asked)
        known = metadatastore.find(asked.dir, decryption=decryption) if asked.table is None else {}
        if len(known) > 1:
            return _several(known, asked, out)
        store = metadatastore.open(
            asked.dir, decryption=decryption, table_identifier=asked.table, follow_outside=asked.follow_outside
        )
        out.kept.append(store)
        if asked.probe is not None:
            found = store.evaluate(asked.probe, asked.mode, timezone=asked.timezone)
            out.kept[:] = [found]
            return _probed(store, found, asked, out)
        if asked.where is not None:
            return _to_read(store, asked, out)
        return _objects(store, asked, out) if asked.objects else _described(store, asked, out)
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(asked.dir, error, asked.json)


def _print(rows: list[dict[str, Json]], head: list[str], key: str, asked: argparse.Namespace, out: Out) -> int:
    """Print rows as a table below some lines, or as a JSON document."""
    from pqexplore.insight.json_values import plain

    if asked.json:
        out.document(key, {"name": plain(asked.dir), key: plain(rows)})
        return DONE
    out.lines(head)
    if rows:
        columns = [[row[name] for row in rows] for name in rows[0]]
        out.lines(text_tables.lines(list(rows[0]), columns, out.room))
    return DONE


def _several(known: dict[str, str], asked: argparse.Namespace, out: Out) -> int:
    rows: list[dict[str, Json]] = [{"store": path, "table": table} for path, table in sorted(known.items())]
    head = [asked.dir, f"  {len(known):,} metadatastores; --table chooses one"]
    return _print(rows, head, "stores", asked, out)


def _described(store: Store, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight.document import finding_document
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.report import findings_report
    from pqexplore.insight.terminal import indented
    from pqexplore.insight.wording import plural
    from pqexplore.lake.metadatastore.names import table_path
    from pqexplore.lake.metadatastore.store_schema import STATUSES

    findings = store.findings
    indexes: list[dict[str, Json]] = [
        {
            "index": one.name,
            "columns": ", ".join(one.columns),
            "type": one.value_type,
            "stored in": one.column,
            "parameters": ", ".join(f"{key}={value}" for key, value in one.params.items()),
            "key": one.key_metadata,
        }
        for one in store.indexes
    ]
    hazards = [str(one) for one in store.check_upstream()]
    table = store.table_identifier and table_path(store.table_identifier, ())
    if asked.json:
        out.document(
            "indexes",
            {
                "name": plain(store.path),
                "store_version": store.version,
                "status": store.status,
                "table": plain(table),
                "objects": store.num_rows,
                "files": len(store.parts),
                "indexes": plain(indexes),
                "partitions": plain([one.name for one in store.partitions]),
                "findings": [finding_document(one) for one in findings],
                "hazards": plain(hazards),
            },
        )
        return DONE
    counts = (
        f"{plural(len(indexes), 'index', 'indexes')} of {plural(store.num_rows, 'object')} "
        f"in {plural(len(store.parts), 'file')}"
    )
    out.say(store.path)
    out.lines(indented(STATUSES[store.status], out.room, 2))
    out.say(f"  {counts}")
    if table:
        out.say(f"  of the table {table}")
    if store.partitions:
        out.say(f"  partitions: {', '.join(one.name for one in store.partitions)}")
    if indexes:
        out.lines(["", "Indexes"])
        columns = [[row[name] for row in indexes] for name in indexes[0]]
        out.lines(text_tables.lines(list(indexes[0]), columns, out.room))
    if hazards:
        out.lines(["", "Where xskipper loses rows"])
        for one in hazards:
            out.lines(indented(one, out.room, 2))
    if findings:
        out.lines(["", "Findings", *findings_report(findings, out.room)])
    return DONE


def _objects(store: Store, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight.json_values import plain

    rows: list[dict[str, Json]] = [
        {
            "object": one.path,
            "modified": one.modified,
            **{name: plain(value) for name, value in {**one.partition, **one.values}.items()},
        }
        for one in store.objects
    ]
    return _print(rows, [store.path], "objects", asked, out)


def _probed(store: Store, found: Evaluation, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight.terminal import indented
    from pqexplore.insight.wording import plural
    from pqexplore.lake.asking.indexed import staleness_of, staleness_sentence

    rows: list[dict[str, Json]] = []
    for one in store.objects:
        reasons = found.reasons[one.name]
        telling = [reason for reason in reasons if reason.rules_out] or list(reasons)
        rows.append(
            {
                "object": one.path,
                "verdict": found.verdict(one.name),
                "why": "; ".join(map(str, telling)),
                **({"may lose": found.may_lose.get(one.name)} if found.may_lose else {}),
            }
        )
    skipped = len(found.skipped) + len(found.partition_pruned)
    sentence = (
        f"{asked.probe}: {skipped:,} of {plural(len(rows), 'object')} "
        f"{'is' if skipped == 1 else 'are'} skipped, {len(found.kept):,} read. "
        f"{staleness_sentence(staleness_of(store))}"
    )
    return _print(rows, [store.path, *indented(sentence, out.room, 2)], "objects", asked, out)


def _to_read(store: Store, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.terminal import indented

    found = store.files_to_read(asked.where, dataset=asked.dataset, timezone=asked.timezone)
    out.kept[:] = [found]
    rows: list[dict[str, Json]] = [plain(row) for row in found.table.to_pylist()]
    if asked.json:
        stale = {name: getattr(found.staleness, name) for name in ("new", "changed", "vanished")}
        out.document("files-to-read", {"name": plain(asked.dir), "files": rows, "staleness": plain(stale)})
        return DONE
    head = [store.path, *indented(found.sentence, out.room, 2)]
    return _print(rows, head, "files", asked, out)
