"""The programs that write Parquet files: who wrote a file, and what that version is known to do wrong.

`known` has the writers by the application that `created_by` names, and `writer.by_name` says whom a file names.
`fingerprint.identify` says who wrote a file whose `created_by` is missing, by its bytes. `defects` has the known defects as
records, each with its versions, its source and, where the bytes can show it, a test.
"""
