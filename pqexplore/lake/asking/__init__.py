"""Answers "what does this query read, and why?" for many files, from the tables of a lake; no data file is opened.

1. `schemas` binds the condition to each distinct schema of the lake. A column that a schema does not have is NULL.
2. `partitions` compares it with the `key=value` folders of the paths.
3. `equivalence_classes` sorts column chunks by everything that an engine's rules look at: where min and max lie among the
   literals, whether there are nulls, who wrote the file. `made_footers` asks the engine about one chunk of each class.
4. `verdicts` combines the rulings over AND and OR, once for each combination that there is.
5. `arrow_cases` finds the classes and combinations in Arrow's tables, `spark_plan` with Spark. `lake_plan` says what was found,
   `local_plan` and `spark_plan` hold it.

`source` is the public function, for one file and for many. `indexed` asks a Metadatastore.
"""

from __future__ import annotations

from pqexplore.lake.asking.source import ask as ask
