"""Wrong answers to the exercises of chapter 13."""

WRONG = {
    "13.1": [
        "flip.row_groups[2].columns['tide'].pages[1].header.crc",
        "zlib.crc32(flip.bytes(flip.node('row_groups/2/columns/2/pages/1').span))",
        "zlib.crc32(flip.row_groups[2].columns['tide'].pages[0].stored)", "zlib.crc32(whole)",
        "zlib.crc32(flip.row_groups[2].columns['tide'].pages[1].stored) + 1",
        "hex(zlib.crc32(flip.row_groups[2].columns['tide'].pages[1].stored))", "True",
    ],
    "13.2": [
        "'row_groups/2'", "'row_groups/2/columns/1'", "'row_groups/2/columns/1/pages/1'",
        "'row_groups/1/columns/1/pages/2'", "'row_groups/2/columns/2/pages/2'", "'row_groups/2/columns/1/pages/20'",
        "2",
    ],
    "13.3": ["4", "250", "3_000", "4_000", "12_000", "11_000", "1", "True", "'1000'"],
    "13.4": [
        "max(chunk.span.end for chunk in f.row_groups[2].columns) - 1",
        "max(chunk.span.end for chunk in f.row_groups[2].columns) + 1",
        "max(chunk.span.end for chunk in f.row_groups[3].columns)",
        "max(chunk.span.end for chunk in f.row_groups[1].columns)", "f.row_groups[3].columns['ship'].span.start + 8",
        "len(whole)", "3", "True",
    ],
    "13.5": [
        "max(sizes) - 1", "max(sizes) + 1", "min(sizes)", "sum(sizes)",
        "max(page.header.compressed_page_size for chunk in f.chunks() for page in chunk.pages)", "8_000_008", "1 << 20",
        "str(max(sizes))", "True",
    ],
    "13.6": ["300", "304", "305", "307", "302", "True", "'306'"],
}  # fmt: skip
