"""All cases of the doctor's rules."""

from insight.doctor import cases_encryption, cases_metadata, doctor_cases

CASES = [*doctor_cases.CASES, *cases_metadata.CASES, *cases_encryption.CASES]
