"""Hypothesis strategies: Python values that a Variant holds exactly."""

import datetime
import decimal

import numpy as np
from hypothesis import strategies as st

from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.variant_types import Temporal

INT64 = st.integers(-(2**63), 2**63 - 1)
DECIMALS = st.builds(
    lambda digits, scale: decimal.Decimal(digits).scaleb(-scale, decimal.Context(prec=60)),
    st.integers(-(10**38) + 1, 10**38 - 1),
    st.integers(0, 38),
)
SCALARS = st.one_of(st.none(), st.booleans(), INT64, st.floats(allow_nan=False),
    st.floats(allow_nan=False, width=32).map(np.float32), DECIMALS, st.text(max_size=80), st.binary(max_size=10),
    st.uuids(), st.dates(), st.times(), st.datetimes(), st.datetimes(timezones=st.just(datetime.UTC)),
    st.builds(Temporal, st.sampled_from([variant_types.TIMESTAMP_NANOS, variant_types.TIMESTAMP_NTZ_NANOS]), INT64))  # fmt: skip
NAMES = st.one_of(st.sampled_from("abcde"), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=12
)
