"""Thrift, Variant, and encryption."""

from pqexplore.insight.glossary.term import term

TERMS = (
    term(
        "CRS",
        "The coordinate reference system: what the coordinates of a GEOMETRY or GEOGRAPHY column mean on the earth. "
        "Without one it is OGC:CRS84, longitude and latitude in degrees.",
        "POINT (16.4 48.2)\n  x 16.4  longitude, degrees east\n  y 48.2  latitude, degrees north",
        "Geospatial.md#coordinate-reference-system",
        "coordinate reference system",
    ),
    term(
        "Thrift",
        "The way in which headers, indexes and the footer are written: fields with a number, a type and a value. "
        "A field that a reader does not know is skipped.",
        "15 │ 10        field 1, i32: 8\n15 │ 2c        field 2, i32: 22\n00             end of the struct",
        "README.md#metadata",
        "struct",
        "field header",
    ),
    term(
        "varint",
        "An integer in as few bytes as it needs: 7 bits in each, the first bit says whether more follow. "
        "Zigzag makes small negative numbers short, too.",
        "300 = 10 0101100\n→ 1|0101100  0|0000010\n   ac          02",
        "Encodings.md#run-length-encoding--bit-packing-hybrid-rle--3",
        "zigzag",
        "ULEB128",
    ),
    term(
        "Variant",
        "A value of any type, as in JSON: its names in `metadata`, its content in `value`. "
        "Fields may also have columns of their own (shredding).",
        'metadata  0 "os"  1 "v"\nvalue     {0: "ios", 1: 17}\n          = {"os": "ios", "v": 17}',
        "VariantEncoding.md",
        "possible_variant",
        "sorted_strings",
        "offset_size_minus_one",
    ),
    term(
        "shredding",
        "Fields of a Variant that have columns of their own, called typed_value. "
        "A value that has another type stays in `value`.",
        '{"v": 17}   → typed_value 17\n{"v": "x"}  → value "x"\n            typed_value null',
        "VariantShredding.md",
        "shredded as",
        "typed",
        "typed share",
        "part of Variant",
        "typed_value",
    ),
    term(
        "module",
        "A part of an encrypted file that is encrypted alone: a page, a page header, an index, the footer. "
        "It has a length, a nonce, the ciphertext, and mostly a tag.",
        "│ length │ nonce │ ciphertext │ tag │\n│   4    │  12   │     n      │ 16  │\none module",
        "Encryption.md#51-encrypted-module-serialization",
        "ciphertext",
    ),
    term(
        "AAD",
        "Bytes that are not stored and must be the same to decrypt: which file, which kind of module, which position. "
        "A module that is moved to another place is noticed.",
        "file id │ module type │ row group\n│ column │ page\n→ moved module: the tag is wrong",
        "Encryption.md#44-additional-authenticated-data",
        "AAD: AAD prefix",
        "AAD prefix",
        "aad_file_unique",
        "AAD: column ordinal",
        "AAD: file identifier",
        "AAD: module type",
        "AAD: page ordinal",
        "AAD: row group ordinal",
    ),
    term(
        "nonce",
        "Twelve bytes that are never used twice with one key. The same bytes encrypted twice then look different.",
        "key + nonce 1 → 8f 3a 11 …\nkey + nonce 2 → 02 c9 7e …\n       same plaintext",
        "Encryption.md#41-encryption-algorithms",
    ),
    term(
        "tag",
        "Sixteen bytes after a module that only someone with the key can make. "
        "If one bit of the module or of its AAD differs, the tag is wrong.",
        "module + AAD + key → tag\nstored tag = computed   ✓\nchanged byte            ✗",
        "Encryption.md#41-encryption-algorithms",
    ),
    term(
        "encryption key",
        "AES keys of 16, 24 or 32 bytes: one for the footer, and one for each column that has its own. "
        "They are never in the file; key metadata says how to get them.",
        "footer key  → footer, columns\ncolumn key  → that column\nkey metadata → asks the KMS",
        "Encryption.md#42-encryption-key-and-algorithm-metadata",
        "key metadata",
        "footer_signing_key_metadata",
        "key metadata length",
        "encryption",
        "encrypted",
        "decryption",
        "encrypted_column_metadata",
        "crypto_metadata",
        "file_crypto_metadata",
    ),
    term(
        "cipher",
        "AES_GCM_V1 encrypts and authenticates all modules; AES_GCM_CTR_V1 does not authenticate the pages. "
        "The footer names which one the file has.",
        "              pages   the rest\nAES_GCM_V1     GCM     GCM\nAES_GCM_CTR_V1 CTR     GCM",
        "Encryption.md#41-encryption-algorithms",
        "encryption algorithm",
        "algorithm",
        "AES",
        "GCM",
        "CTR",
    ),
)
