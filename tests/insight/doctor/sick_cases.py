"""The samples with one fault: the rule that finds it, and what the first sentence of the first screen says of it."""

SICK_CASES = {
    "sick-checksum": ("crc-mismatch", "stores the CRC32 370284f0, the page's bytes have"),
    "sick-page": ("unreadable", "not a struct: a field header has wire type 15"),
    "sick-statistics": ("statistics-inverted", "the min 0 is greater than the max -1"),
    "sick-row-groups": ("small-row-groups", "200 row groups hold 100 rows"),
    "sick-footer": ("large-footer", "it describes 2,000 column chunks"),
    "sick-bloom": ("bloom-filter-oversized", "The Bloom filters of `n` take 131 kB"),
    "sick-codec": ("codec-enlarges", "GZIP makes `noise` larger"),
    "sick-no-statistics": ("no-statistics", "has no statistics in any row group"),
    "sick-gap": ("unused-bytes", "Nothing in the footer names 100 kB of the file"),
    "sick-key-values": ("heavy-key-values", "`notes` alone takes 100 kB"),
    "sick-names": ("duplicate-names", "`price` and `price` have the same name"),
    "legacy-lists": ("legacy-lists", "3 lists have an old layout"),
}
