import { describe, expect, it } from "vitest";
import { needles, readings, type Sought } from "./hexread";
import type { ColumnType } from "./wire/structure";

const bytes = (hex: string) => Uint8Array.from(hex.match(/\w\w/g) ?? [], (pair) => Number.parseInt(pair, 16));
const column = (physical: string, logical = "", more: Partial<ColumnType> = {}): ColumnType => ({
  physical,
  logical,
  scale: 0,
  unit: "",
  length: 0,
  unsigned: false,
  ...more,
});
const read = (hex: string, name: string, big = false) =>
  readings(bytes(hex), big, null).find((one) => one.name === name)?.text;

describe("readings", () => {
  it.each([
    ["c3", "bits", "11000011"],
    ["ff", "int8", "-1, unsigned 255"],
    ["7f", "int8", "127"],
    ["0102", "int16", "513"],
    ["feff", "int16", "-2, unsigned 65,534"],
    ["40420f00", "int32", "1,000,000"],
    ["ffffffffffffff7f", "int64", "9,223,372,036,854,775,807"],
    ["003c", "float16", "1"],
    ["0080", "float16", "-0"],
    ["007c", "float16", "Infinity"],
    ["0000c03f", "float", "1.5"],
    ["000000000000f83f", "double", "1.5"],
    ["0000c07b", "float", "1.993842e+36"],
    ["ac02", "varint", "300 in 2 B"],
    ["00", "varint", "0 in 1 B"],
    ["ffffffffffffffffff01", "varint", "18,446,744,073,709,551,615 in 10 B"],
    ["ffffffffffffffffff02", "varint", undefined],
    ["80", "varint", undefined],
    ["01", "zigzag", "-1 in 1 B"],
    ["d00f", "zigzag", "1,000 in 2 B"],
    ["50415231", "text", "“PAR1”"],
    ["c3a9e282ac00", "text", "“é€”"],
    ["00", "text", undefined],
    ["ff41", "text", undefined],
    ["e2808e41", "text", undefined], // a mark that nobody sees
    ["00f0a8078d010000", "ms", "2024-01-14T11:08:48.512"],
    ["0080e4f23f100600", "µs", "2024-01-31T15:58:24.309248"],
    ["00000000000000008c3d2500", "int96", "1970-01-01T00:00:00"],
    ["0000000000000080 8c3d2500", "int96", undefined], // before the day begins
    ["0b4d0000", "date", "2024-01-01"],
    ["ffffff7f", "date", undefined],
    ["550e8400e29b41d4a716446655440000", "uuid", "550e8400-e29b-41d4-a716-446655440000"],
    ["00000000000000000000000000000000", "uuid", undefined],
  ])("%s as %s is %s", (hex, name, text) => {
    expect(read(hex, name)).toBe(text);
  });

  it("reads big-endian integers and floats", () => {
    expect(read("0102", "int16", true)).toBe("258");
    expect(read("3ff8000000000000", "double", true)).toBe("1.5");
  });

  it("reads nothing beyond the end", () => {
    expect(readings(bytes(""), false, null)).toEqual([]);
    expect(readings(bytes("010203"), false, null).map((one) => one.name)).toEqual([
      "bits",
      "int8",
      "int16",
      "float16",
      "varint",
      "zigzag",
    ]);
  });

  it.each([
    ["39300000", column("INT32", "DECIMAL", { scale: 2 }), "decimal", "123.45"],
    ["ffffffffffffffff", column("INT64", "DECIMAL", { scale: 3 }), "decimal", "-0.001"],
    ["ff85", column("FIXED_LEN_BYTE_ARRAY", "DECIMAL", { scale: 1, length: 2 }), "decimal", "-12.3"],
    ["0b4d0000", column("INT32", "DATE"), "date", "2024-01-01"],
    [
      "0100000000000000",
      column("INT64", "TIMESTAMP", { unit: "MICROS" }),
      "µs",
      "1970-01-01T00:00:00.000001",
    ],
    ["00000000000000ff", column("INT64", "TIMESTAMP", { unit: "NANOS" }), "ns", "-"],
    ["e8030000", column("INT32", "TIME", { unit: "MILLIS" }), "time", "00:00:01"],
    ["00", column("BOOLEAN"), "bits", "00000000"],
    ["003c", column("FIXED_LEN_BYTE_ARRAY", "FLOAT16", { length: 2 }), "float16", "1"],
    ["05000000", column("INT32"), "int32", "5"],
    ["ffffffff", column("INT32", "INTEGER"), "int32", "-1"],
    ["ffffffff", column("INT32", "INTEGER", { unsigned: true }), "uint32", "4,294,967,295"],
    ["feffffffffffffff", column("INT64", "", { unsigned: true }), "uint64", "18,446,744,073,709,551,614"],
    ["4f736c6f", column("BYTE_ARRAY", "STRING", { length: 4 }), "text", "“Oslo”"],
  ])("reads %s by the column's type first", (hex, type, name, text) => {
    const [first] = readings(bytes(hex), false, type);
    expect([first.name, first.own]).toEqual([name, true]);
    if (text !== "-") expect(first.text).toBe(text);
    expect(readings(bytes(hex), false, type).filter((one) => one.name === name)).toHaveLength(1);
  });

  it("says nothing of a type whose bytes are not all there", () => {
    expect(readings(bytes("0100"), false, column("INT64")).some((one) => one.own)).toBe(false);
  });
});

describe("needles", () => {
  it.each<[Sought, string, string[]]>([
    ["bytes", "50 41 52 31", ["50415231"]],
    ["bytes", "0xFF", ["ff"]],
    ["bytes", "abc", []],
    ["bytes", "zz", []],
    ["text", "FR", ["4652"]],
    ["text", "é", ["c3a9"]],
    ["text", "", []],
    ["i1", "-1", ["ff"]],
    ["i1", "256", []],
    ["i2", "513", ["0102"]],
    ["I2", "258", ["0102"]],
    ["i4", "1,000,000", ["40420f00"]],
    ["i8", "-2", ["feffffffffffffff"]],
    ["any", "1", ["01000000", "00000001", "0100000000000000", "0000000000000001"]],
    ["any", "one", []],
    ["v", "300", ["ac02"]],
    ["v", "-1", []],
    ["z", "1000", ["d00f"]],
    ["z", "-1", ["01"]],
    ["f", "1.5", ["0000c03f", "000000000000f83f"]],
    ["f", "x", []],
  ])("%s %s", (kind, text, expected) => {
    expect(needles(kind, text)).toEqual(expected);
  });
});
