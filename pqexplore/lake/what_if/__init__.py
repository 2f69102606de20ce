"""What other choices would make of the files of a lake: real sizes by column from a sample of files, and compaction.

`sample` chooses the files, `trying` runs `insight/what_if` on each where the scan reads them, `trial` makes totals of the
columns, `compaction` asks the scan's tables what larger files would save, `trial_text` says it.
"""
