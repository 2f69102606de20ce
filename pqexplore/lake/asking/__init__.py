"""Answers "what does this query read, and why?" for many files, from the tables of a lake; no data file is opened.

1. `schemas` binds the condition to each distinct schema of the lake. A column that a schema does not have is NULL.
2. `partitions` compares it with the `key=value` folders of the paths.
3. `signatures` sorts column chunks by everything that an engine's rules look at: where min and max lie among the literals,
   whether there are nulls, who wrote the file. `rulings` asks the engine about one chunk of each kind.
4. `local` does this with Arrow, `on_spark` with Spark; `plan` holds the outcome.

`source` is the public function, for one file and for many. `indexed` asks a Metadatastore.
"""

from __future__ import annotations

from pqexplore.lake.asking.source import ask as ask
