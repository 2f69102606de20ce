"""What chapter 05 says of its files: words of the text, and an expression that is true after its last cell if they are."""

CLAIMS = [
    ("So a `7` takes two bytes, `0c 07`, and `\"ok\"` three", "encode_variant(7)[1] == b'\\x0c\\x07' and len(encode_variant('ok')[1]) == 3"),
    ("In row 22 there is an object", "isinstance(decode_variant(row['metadata'], row['value']), dict)"),
    ("A header (`11`: version 1, sorted, numbers of one byte)", "row['metadata'][0] == 0x11"),
    ("`0d 41 64 61` has the basic type 1", "bytes(found['name']) == bytes.fromhex('0d416461')"),
    ("the fields `id`, `user`, `score` and `tags` have columns",
        "{leaf.path[2] for leaf in g.schema.leaves if len(leaf.path) > 2} == {'id', 'user', 'score', 'tags'}"),
    ("`v.typed_value.id.typed_value` is null in three rows",
        "len(g.row_groups[0].columns['v.typed_value.id.typed_value'].values) == 40 - 3"),
    ("Row 8 is not an object", "decode_variant(*(g.read()['v'][8].as_py()[name] for name in ('metadata', 'value'))) == 'no object at all'"),
    ("A query for one field then reads one pair of columns", "cost['shredded'] < cost['whole'] / 3"),
    ("A field of many types gains nothing", "len({type(one['battery']) for one in readings}) == 2"),
]  # fmt: skip
