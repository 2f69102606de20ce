"""A condition in the SQL of another engine."""

from __future__ import annotations

import re

from pqexplore.engine.errors import UsageError


def condition(where: str, dialect: str) -> tuple[str, str | None]:
    """A condition (or SELECT) in Spark's SQL as a condition in another dialect of sqlglot, and the table's name in it.

    The name is what may qualify a column, None if there is none. UsageError if it cannot be translated.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel, SqlglotError

    whole = re.match(r"\s*(select|with)\b", where, re.IGNORECASE) is not None
    try:
        statement = sqlglot.parse_one(where if whole else f"SELECT 1 FROM t WHERE {where}", read="spark")
        found = statement.args.get("where")
        if found is None:
            return "TRUE", None
        table = next(statement.find_all(exp.Table), None) if whole else None
        text = found.this.sql(dialect=dialect, comments=False, unsupported_level=ErrorLevel.RAISE)
        return str(text), None if table is None else table.alias_or_name
    except SqlglotError as error:
        raise UsageError(f"{where!r} cannot be translated for {dialect}: {error}") from None


def quoted(name: str) -> str:
    """An identifier in double quotes, as standard SQL has it; no character of it ends the quotes."""
    return '"' + name.replace('"', '""') + '"'
