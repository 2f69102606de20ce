"""The Spark code that the doctor's rules propose runs, and what Spark writes so is fixed."""

import pytest
from insight.doctor import cases_bytes, doctor_cases

import pqexplore
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.lenses.lens import finish

CASES = [*doctor_cases.CASES, *cases_bytes.CASES]


def found(source, case):
    with pqexplore.open(source) as file:
        return [one for one in finish(steps(file, case.level)).findings if one.rule == case.rule]


@pytest.mark.full
def test_the_code_mends_the_file(spark, tmp_path):
    ran = []
    for case in CASES:
        given, path = tmp_path / f"{case.rule}.parquet", tmp_path / case.rule
        given.write_bytes(case.make())
        [one] = found(given, case)
        code = one.code.get("Spark", "")
        if ".parquet(path)" not in code:  # it sets an option of the session, or there is none
            continue
        exec(code, {"df": spark.read.parquet(str(given)), "path": str(path)})
        parts = list(path.glob("*.parquet"))
        assert parts and [found(part, case) for part in parts] == [[]] * len(parts), code
        ran.append(case.rule)
    assert len(ran) > 20
