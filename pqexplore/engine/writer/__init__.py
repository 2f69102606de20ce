"""Writes Arrow tables as Parquet files, with everything that the engine can read.

From the inside out: `physical` converts values to their stored form, `chunk_encoding` cuts a leaf into pages and
encodes them, `page_builder` adds their headers, `statistics` and `index` describe their values, `footer_builder`
describes the chunks, and `file` writes all parts in order. `options` has the choices of a user, `option_refusals` the
choices that do not fit a column; `schema_elements` builds the schema. `plan` has the sizes of each column. `assembly`
builds files by hand, right or wrong, and `samples` are files that show one idea each.
"""
