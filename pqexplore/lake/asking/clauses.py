"""What a lake asks of a clause by itself: its column's path, and what it is for NULL."""

from __future__ import annotations

from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.predicate import ANY, Compare, Constant, NanTest, NullTest, Opaque

Path = tuple[str, ...]
"""The lower-cased names of a column, from the top-level column on."""


def path_of(clause: predicate.Leaf) -> Path:
    """The path of the column that a clause is about; empty if it is about none, or about more than one."""
    if isinstance(clause, Constant | Opaque):
        return ()
    return tuple(name.lower() for name in clause.operand.path)


def paths_of(clause: predicate.Clause) -> list[Path]:
    """The columns of a condition, each once."""
    found: dict[Path, None] = {}
    for leaf in predicate.leaves(clause):
        if isinstance(leaf, Opaque):
            found.update((tuple(name.lower() for name in path), None) for path in leaf.columns)
        elif not isinstance(leaf, Constant):
            found[path_of(leaf)] = None
    return list(found)


def tops_of(clause: predicate.Clause) -> set[str]:
    """The lower-cased names that the top-level columns of a condition may have: a name may have dots."""
    return {".".join(path[:used]) for path in paths_of(clause) for used in range(1, len(path) + 1)}


def is_plain(clause: predicate.Leaf) -> bool:
    """Whether a clause is about a column itself, not about an element or a path in it."""
    if isinstance(clause, Constant | Opaque):
        return False
    return clause.operand.element is None and not clause.operand.variant


def true_for_null(clause: predicate.Leaf) -> bool | None:
    """Whether a clause is TRUE if its column is NULL; None if that is not known."""
    if isinstance(clause, Constant | Opaque) or clause.operand.element == ANY:
        return None
    if isinstance(clause, NullTest):
        return not clause.negated
    if isinstance(clause, NanTest):
        return clause.negated
    return isinstance(clause, Compare) and clause.operator == "not <=>"
