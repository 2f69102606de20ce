"""What a view is."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class View:
    """A question about a lake, and the query that answers it, in the SQL that Spark and DuckDB share.

    `parameters` are numbers in the query, by name, with their defaults.
    """

    name: str
    question: str
    text: str
    parameters: tuple[tuple[str, int | float], ...] = ()

    def sql(self, **parameters: int | float) -> str:
        """The query, with parameters other than the defaults where given. KeyError for one that it does not have."""
        chosen = dict(self.parameters)
        for name, value in parameters.items():
            if name not in chosen:
                has = ", ".join(chosen) or "none"
                raise KeyError(f"view {self.name} has no parameter {name!r}; it has {has}")
            chosen[name] = float(value) if isinstance(value, float) else int(value)
        return self.text.format(**chosen).strip()
