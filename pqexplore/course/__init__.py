"""Checks the exercises of the notebooks, and remembers which are solved.

`check("02.1", answer)` says whether an answer is right; hints come after the second try. `progress()` shows how far you are
in each chapter. The answers are in notebooks/solutions/, none is in the notebook itself.
"""

from __future__ import annotations

from pqexplore.course.checking import Verdict, check
from pqexplore.course.examination import Exam, exam
from pqexplore.course.progress_table import Progress, progress
from pqexplore.course.record import forget

__all__ = ["Exam", "Progress", "Verdict", "check", "exam", "forget", "progress"]
