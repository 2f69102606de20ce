"""Totals of samples, by ratio: what is measured on some parts, in proportion to a size that is known for all.

Cochran, Sampling Techniques (3rd edition), chapter 6: with n of N parts, measured y and known x, the ratio is
Σy / Σx, and the variance of the total N² (1 − n/N) s² / n, where s² is that of y − ratio · x. Few parts say little of
that variance, so the error is taken from Student's t with n − 1 degrees of freedom.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A total, and the variance of its estimate: 0 if everything was measured, None if the sample cannot say.

    The variance of few parts is enlarged, so that twice its root is Student's 95 % interval.
    """

    total: float
    variance: float | None = 0.0

    @property
    def error(self) -> float | None:
        """How far the total may be off in 95 of 100 cases; None if unknown."""
        return None if self.variance is None else 2 * math.sqrt(self.variance)

    @property
    def sampled(self) -> bool:
        """Whether something was not measured."""
        return self.variance != 0


def by_ratio(known: Sequence[float], measured: Mapping[int, Estimate]) -> Estimate:
    """The total of all parts, of those that are `measured` by their position in `known`.

    Parts that are themselves estimates add their variance. Without any measured part the total is 0, and unknown.
    """
    count, parts = len(known), len(measured)
    if not parts:
        return Estimate(0.0, None if count else 0.0)
    inside = _sum([each.variance for each in measured.values()])
    found = sum(each.total for each in measured.values())
    if parts == count:
        return Estimate(found, inside)
    base = sum(known[at] for at in measured)
    ratio = found / base if base else 0.0
    total = ratio * sum(known) if base else found / parts * count
    if parts < 2 or inside is None:
        return Estimate(total, None)
    apart = sum((each.total - ratio * known[at]) ** 2 for at, each in measured.items())
    between = count**2 * (1 - parts / count) * apart / (parts - 1) / parts
    between *= (student(parts - 1) / 2) ** 2
    # A sample whose parts fit perfectly is still a sample: `sampled` must say so.
    return Estimate(total, max(between + inside * (total / found) ** 2 if found else between, 1e-9))


_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)


def student(degrees: int) -> float:
    """The two-sided 95 % quantile of Student's t (tables for 1 to 10 degrees of freedom, above by at most 1 % more)."""
    return _STUDENT[degrees - 1] if degrees <= len(_STUDENT) else 1.96 + 2.7 / degrees


def _sum(variances: Sequence[float | None]) -> float | None:
    total = 0.0
    for one in variances:
        if one is None:
            return None
        total += one
    return total


def spread(count: int) -> list[int]:
    """0 to count − 1 in an order whose beginnings are spread evenly: by the fractions of multiples of the golden ratio."""
    return sorted(range(count), key=lambda at: at * 0.6180339887498949 % 1.0)
