"""What differs between two folders of Parquet files, two tables, or two versions of a Delta or Iceberg table.

`state` finds the files of each side: those that the log names, or those that lie in the folder. `files` puts them side
by side and compares their rows, and `comparison` compares the schemas and makes one answer of it. `two_sources` has the public
function, for two files, too.
"""

from __future__ import annotations

from pqexplore.lake.comparing.two_sources import diff as diff
