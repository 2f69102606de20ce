"""The doctor for many files: the rules of `insight/doctor` in each file, added up, and what only the files together show.

`diagnosing` runs `diagnose.steps` on each file, as `pqexplore.diagnose` does, so that a rule exists once. The scan's
tables cannot stand for the files: they have no key-value metadata and no histograms, and reading and diagnosing a footer
takes a few milliseconds. The files are read where the scan reads them, on Spark or by processes of this machine
(`lake.local`, `lake.spark`), and each yields a row for each rule. `counting` adds the rows up, with Spark's DataFrames
or with Arrow. `together` asks what no file shows alone (small files, drift) of the scan's tables. `lake_report` says it.
"""
