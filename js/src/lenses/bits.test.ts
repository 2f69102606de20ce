import { expect, test } from "vitest";
import { type Group, groupSpan, type Part, pieces } from "./bits";

function part(shown: number[], groups: Group[], more: Partial<Part> = {}): Part {
  return {
    name: "packed values",
    start: 100,
    end: 100 + shown.length,
    at: 100,
    shown,
    groups,
    says: [],
    form: "bits",
    order: "lsb",
    value: null,
    places: [],
    ...more,
  };
}

/** Groups of three bits, one after the other. */
const threes = (count: number): Group[] =>
  Array.from({ length: count }, (_, i) => ({
    start: 3 * i,
    end: 3 * i + 3,
    label: String(i),
    role: "value",
    value: i,
  }));

const drawn = (bits: Part) =>
  pieces(bits).map((byte) => byte.map((piece) => `${piece.group}:${piece.text}${piece.named ? "!" : ""}`));

test("0 to 7 in three bits are drawn as in the specification", () => {
  expect(drawn(part([0x88, 0xc6, 0xfa], threes(8)))).toEqual([
    ["2:10!", "1:001!", "0:000!"],
    ["5:1", "4:100!", "3:011!", "2:0"],
    ["7:111!", "6:110!", "5:10!"],
  ]);
});

test("in msb order the most significant bit comes first", () => {
  expect(drawn(part([0x05, 0x39, 0x77], threes(8), { order: "msb" }))).toEqual([
    ["0:000!", "1:001!", "2:01!"],
    ["2:0", "3:011!", "4:100!", "5:1"],
    ["5:01!", "6:110!", "7:111!"],
  ]);
});

test("bits without a group are a piece of their own", () => {
  expect(
    drawn(part([0b10100000], [{ start: 7, end: 8, label: "more follow", role: "more", value: null }])),
  ).toEqual([["0:1!", "-1:0100000"]]);
});

test("a group may end after the shown bytes", () => {
  expect(drawn(part([0xff], [{ start: 4, end: 64, label: "number", role: "number", value: null }]))).toEqual([
    ["0:1111!", "-1:1111"],
  ]);
});

test("a group knows its bytes", () => {
  const bits = part([0x88, 0xc6, 0xfa], threes(8));
  expect(groupSpan(bits, bits.groups[2], "file")).toEqual({ start: 100, end: 102, space: "file" });
  expect(groupSpan(bits, bits.groups[7], "file")).toEqual({ start: 102, end: 103, space: "file" });
  const split = part(
    [1, 2, 3, 4],
    [{ start: 8, end: 24, label: "exponent", role: "exponent", value: null }],
    { places: [10, 20, 30, 40] },
  );
  expect(groupSpan(split, split.groups[0], "file")).toEqual({ start: 20, end: 31, space: "file" });
});
