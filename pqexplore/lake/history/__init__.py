"""Compares the runs of a lake: growth, new definitions of columns, overlap of sorted columns, new problems.

Each finished run keeps its manifest, its whole table `files`, and the rows that it read, also after later runs
(`lake.store`). So every run can be asked as if it were the current one. `comparing` asks the runs, `run_history` has the result.
"""

from pqexplore.lake.history.run_history import LakeHistory

__all__ = ["LakeHistory"]
