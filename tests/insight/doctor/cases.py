"""All cases of the doctor's rules."""

from insight.doctor import cases_bytes, cases_encryption, cases_metadata, cases_values, cases_writers, doctor_cases

CASES = [
    *doctor_cases.CASES,
    *cases_bytes.CASES,
    *cases_values.CASES,
    *cases_metadata.CASES,
    *cases_encryption.CASES,
    *cases_writers.CASES,
]
