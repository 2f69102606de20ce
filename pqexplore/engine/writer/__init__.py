"""Arrow tables to Parquet files: the way back of everything that the engine reads.

The rooms follow the file from the inside out: `physical` turns values into what is stored, `column` cuts a leaf into
pages and encodes them, `page` gives pages their header, `statistics` and `index` say what is in them, `footer` what is
in the chunks, and `file` puts all of it one behind the other. `options` is what can be asked for, `rules` what cannot;
`schema` makes the schema. `plan` tells what the bytes of each column are. `assembly` puts files together by hand, also
wrongly, and `samples` are files made to show one idea each.
"""
