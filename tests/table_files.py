"""Tables of conditions, and of what each means, in text files beside the tests: SQL without Python's quotes.

`# NAME` begins a table. A row is a line, its cells are between ` => `; `-` is an empty one. After `  -- ` comes a remark.
"""

from pathlib import Path


def table_rows(path: Path, name: str) -> list[list[str]]:
    """The rows of a table; an error if there is no such table."""
    tables = dict(part.split("\n", 1) for part in f"\n{path.read_text('utf-8')}".split("\n# ")[1:])
    lines = [line.split("  -- ")[0].rstrip() for line in tables[name].split("\n")]
    return [["" if cell == "-" else cell for cell in line.split(" => ")] for line in lines if line]
