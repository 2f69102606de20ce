"""What a lake asks of a clause by itself: its column's path, and what it is for NULL."""

from __future__ import annotations

from pqexplore.insight.ask import predicate


def path_of(clause: predicate.Leaf) -> tuple[str, ...]:
    """The lower-cased path of a clause's column; empty if it has none."""
    column = predicate.column_of(clause)
    return () if column is None else tuple(column.split("."))


def paths_of(clause: predicate.Clause) -> list[tuple[str, ...]]:
    """The columns of a condition, each once."""
    found = (path_of(leaf) for leaf in predicate.leaves(clause))
    return list(dict.fromkeys(path for path in found if path))


def true_for_null(clause: predicate.Leaf) -> bool | None:
    """Whether a clause is TRUE for NULL; None if that is not known."""
    if isinstance(clause, predicate.NullTest):
        return not clause.negated
    if isinstance(clause, predicate.Compare):
        return clause.operator == "not <=>"
    if isinstance(clause, predicate.OneOf):
        return False
    return None
