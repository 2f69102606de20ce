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

/** Groups of three bits, one behind the other. */
const threes = (count: number): Group[] =>
  Array.from({ length: count }, (_, i) => [3 * i, 3 * i + 3, String(i), "value", i]);

const drawn = (made: Part) =>
  pieces(made).map((byte) => byte.map((piece) => `${piece.group}:${piece.text}${piece.named ? "!" : ""}`));

test("0 to 7 in three bits are drawn as in the specification", () => {
  expect(drawn(part([0x88, 0xc6, 0xfa], threes(8)))).toEqual([
    ["2:10!", "1:001!", "0:000!"],
    ["5:1", "4:100!", "3:011!", "2:0"],
    ["7:111!", "6:110!", "5:10!"],
  ]);
});

test("the most significant bit comes first where the order is the other", () => {
  expect(drawn(part([0x05, 0x39, 0x77], threes(8), { order: "msb" }))).toEqual([
    ["0:000!", "1:001!", "2:01!"],
    ["2:0", "3:011!", "4:100!", "5:1"],
    ["5:01!", "6:110!", "7:111!"],
  ]);
});

test("bits that no group has are a piece of their own", () => {
  expect(drawn(part([0b10100000], [[7, 8, "more follow", "more", null]]))).toEqual([["0:1!", "-1:0100000"]]);
});

test("a group may say that it goes on beyond what is shown", () => {
  expect(drawn(part([0xff], [[4, 64, "number", "number", null]]))).toEqual([["0:1111!", "-1:1111"]]);
});

test("a group knows its bytes", () => {
  const made = part([0x88, 0xc6, 0xfa], threes(8));
  expect(groupSpan(made, made.groups[2], "file")).toEqual([100, 102, "file"]);
  expect(groupSpan(made, made.groups[7], "file")).toEqual([102, 103, "file"]);
  const split = part([1, 2, 3, 4], [[8, 24, "exponent", "exponent", null]], { places: [10, 20, 30, 40] });
  expect(groupSpan(split, split.groups[0], "file")).toEqual([20, 31, "file"]);
});
