"""All cases of the doctor's rules."""

from insight.doctor import cases_bytes, cases_writers, doctor_cases

CASES = [*doctor_cases.CASES, *cases_bytes.CASES, *cases_writers.CASES]
