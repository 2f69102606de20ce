"""All cases of the doctor's rules."""

from insight.doctor import cases_bytes, doctor_cases

CASES = [*doctor_cases.CASES, *cases_bytes.CASES]
