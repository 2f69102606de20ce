"""The programs that write Parquet files: who wrote a file, and what that version is known to do wrong.

`known` has the writers by the application that `created_by` names. `identify` says who wrote a file: by `created_by`, or,
where that is missing, by its bytes (`fingerprint`). `defects` has the known defects as records, and `verdict` says of
each whether the file shows it.
"""
