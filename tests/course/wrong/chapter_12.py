"""Wrong answers to the exercises of chapter 12."""

WRONG = {
    "12.1": [
        "int.from_bytes(data, 'little', signed=True)", "4294937296", "30000", "-300", "Decimal('-300.00')", "'-30000'",
        "True",
    ],
    "12.2": ["8", "10", "20", "16", "True", "'9'", "(20 + 2 + 1) // 2"],
    "12.3": [
        "1782896400000", "1782889200", "1782889200000000", "1782903600000", "'1782889200000'", "True",
        "dt.datetime(2026, 7, 1, 9)",
    ],
    "12.4": [
        "struct.pack('<iq', 2451545, 43_200_000_000_000)", "struct.pack('>qi', 43_200_000_000_000, 2451545)",
        "struct.pack('<qi', 0, 2451545)", "struct.pack('<qi', 43_200_000_000, 2451545)",
        "struct.pack('<qi', 43_200_000_000_000, 10957)", "struct.pack('<qi', 43_200_000_000_000, 2451545).hex()", "12",
    ],
    "12.5": [
        "'1517-11-10'", "dt.date(1517, 11, 10)", "'1517-11-21'", "'1492-10-12'", "-165142", "'31.10.1517'", "True",
    ],
    "12.6": [
        "{'counts'}", "{'counts', 'counts_ieee', 'uncounted'}", "set(table.column_names)",
        "{'readings', 'readings_ieee', 'broken'}", "set()", "'counts'", "2",
    ],
}  # fmt: skip
