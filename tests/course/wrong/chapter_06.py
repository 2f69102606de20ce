"""Wrong answers to the exercises of chapter 06."""

WRONG = {
    "06.1": [
        "'row_groups/0/columns/1/column_index/module'", "'row_groups/1/columns/1/offset_index/module'",
        "'row_groups/1/columns/2/column_index/module'", "'row_groups/1/columns/1'",
        "'row_groups/1/columns/1/metadata/encrypted_column_metadata/module'", "'row_groups/1/columns/1/pages/1/body'",
        "'footer/module'", "'column_index'", "1", "b'row_groups/1/columns/1/column_index'",
    ],
    "06.2": ["28", "16", "12", "4", "20", "'32'", "True", "32 * 8", "len(nonce) + len(tag)"],
    "06.3": [
        "b''", "bytes.fromhex('6162636465666768 02 0100 0200 0200')", "bytes.fromhex('6162636465666768 02 0001 0002 0001')",
        "bytes.fromhex('6162636465666768 04 0100 0200 0100')", "bytes.fromhex('6162636465666768 02 0200 0100 0100')",
        "bytes.fromhex('02 6162636465666768 0100 0200 0100')", "bytes.fromhex('6162636465666768 02 01 02 01')",
        "bytes.fromhex('6162636465666768 02 0100 0200')", "'6162636465666768 02 0100 0200 0100'",
        "Module(ModuleType.DATA_PAGE_HEADER, 1, 2, 1).aad(None, b'abcdefgh')",
    ],
    "06.4": [
        "int(safe)", "f'{(int(safe) + 1) % 10_000:04}'", "safe[:3]", "safe + '.'", "text", "stream", "known", "first_page",
        "second[4:]", "'dy. '", "''",
    ],
    "06.5": [
        "(400, 3)", "(300, 400)", "(3, 4)", "(3, 300)", "(2, 300)", "(4, 400)", "(400, 400)", "('3', '400')", "3", "(3, 400, None)",
        "(3, True)", "(3, None)",
    ],
    "06.6": [
        "pqexplore.Decryption(kms=service)", "pqexplore.Decryption(column_keys={'salary': dek}, kms=service)",
        "pqexplore.Decryption(column_keys={'salary': kek})", "pqexplore.Decryption(column_keys={'bonus': dek})",
        "pqexplore.Decryption(footer_key=dek)", "pqexplore.Decryption(column_keys={'salary': bytes(16)})",
        "pqexplore.Decryption(column_keys={'salary': dek, 'bonus': dek})", "pqexplore.Decryption()", "{'salary': dek}", "dek", "'dek'",
    ],
}  # fmt: skip

REASONS = {
    "06.1": {"'row_groups/1/columns/1/pages/1/body'": "part of one page"},
    "06.2": {"16": "one of its parts", "12": "one of its parts", "20": "Not yet.", "28": "takes bytes, too"},
    "06.3": {
        "bytes.fromhex('6162636465666768 02 0001 0002 0001')": "lower byte",
        "bytes.fromhex('6162636465666768 04 0100 0200 0100')": "page's header",
    },
    "06.5": {"(4, 400)": "same master key", "(3, 300)": "data keys", "(2, 300)": "footer has a key"},
}
