"""Wrong answers to the exercises of chapter 05."""

WRONG = {
    "05.1": [
        "(300, 'hello')", "('hello', 11265)", "(b'hello', 300)", "('hello', 44)", "('hell', 300)", "('hello', '300')",
        "('Hello', 300)", "'hello'", "('hello', 300, None)", "('hello', None)",
    ],
    "05.2": [
        "bytes.fromhex('03 02 00 01 02 04 04')", "bytes.fromhex('03 02 00 02 0c 01 04')",
        "bytes.fromhex('03 03 00 02 03 0c 01 04')", "bytes.fromhex('02 02 00 02 03 0c 01 04')",
        "bytes.fromhex('03 02 00 02 03 0c 01 08')", "bytes.fromhex('03 02 00 02 03 04 0c 01')",
        "bytes.fromhex('03 02 00 02 03 0c 01 04 00')", "bytes.fromhex('03 02 00 02 04 0c 01 0c 01')",
        "'03 02 00 02 03 0c 01 04'", "[1, True]", "encode_variant([1, 1])[1]", "b''",
    ],
    "05.3": [
        "0b1_10_11", "0b0_01_11", "0b1_00_11", "0b01_1_11", "0b1_01_00", "3", "'0b10111'", "bytes([0b1_10_11])", "0b1_11_11",
        "True", "300",
    ],
    "05.4": [
        "([8, 9], [7])", "([7], [8])", "([7], [9])", "([7, 8], [9])", "([], [7, 8, 9])", "([7, 8, 9], [])", "([8], [9, 10])",
        "[7, 8, 9]", "(7, [8, 9])", "([7], [8, 9], [])", "(['7'], ['8', '9'])",
    ],
    "05.5": [
        "'row_groups/0/columns/1'", "'row_groups/0/columns/1/pages/1/values/8'", "'row_groups/0/columns/1/pages/1/values/0'",
        "'row_groups/0/columns/0/pages/1/values/7'", "'row_groups/0/columns/1/pages/1/values/70'",
        "'row_groups/0/columns/3/pages/1/values/7'", "'schema/3'", "''", "8", "'v.value'",
    ],
    "05.6": [
        "pa.struct([('device', pa.string()), ('temperature', pa.float64())])",
        "pa.struct([('device', pa.string()), ('uptime', pa.int64())])",
        "pa.struct([('device', pa.string()), ('uptime', pa.int64()), ('temperature', pa.float64()), ('battery', pa.int64())])",
        "pa.struct([('device', pa.string()), ('uptime', pa.int64()), ('temperature', pa.float64()), ('note', pa.string())])",
        "pa.struct([('device', pa.string()), ('uptime', pa.int64()), ('temperature', pa.string())])",
        "pa.struct([('device', pa.string()), ('uptime', pa.int8()), ('temperature', pa.float64())])",
        "pa.struct([('device', pa.string()), ('uptime', pa.int64()), ('temperature', pa.float64()), ('humidity', pa.float64())])",
        "['device', 'uptime', 'temperature']", "{'device': pa.string()}", "pa.string()", "pa.struct([])",
    ],
}  # fmt: skip

REASONS = {
    "05.1": {"('hello', 44)": "first is right", "('hell', 300)": "second is right", "(300, 'hello')": "swapped"},
    "05.2": {
        "bytes.fromhex('03 02 00 02 03 0c 01 08')": "These bytes are [1, False].",
        "bytes.fromhex('03 02 00 02 04 0c 01 0c 01')": "These bytes are [1, 1].",
        "b''": "are no Variant",
    },
    "05.3": {"0b0_01_11": "too large for one byte", "0b1_00_11": "do not reach", "0b1_10_11": "minus one"},
}
