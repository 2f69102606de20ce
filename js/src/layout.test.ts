import { expect, test } from "vitest";
import { flaggedRuns } from "./flags";
import { CORRUPT, LOCKED } from "./kinds";
import { Layout } from "./layout";

const u1 = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer);
const f8 = (...numbers: number[]) => new DataView(Float64Array.from(numbers).buffer);

/** magic, two pages of chunk 0/0, one of 0/1, an offset index of each, footer. */
function layout(state = [0, 0, 0, 0, 0, 0, 0]): Layout {
  return new Layout({
    result: {
      level: "pages",
      size: 100,
      columns: [
        ["start", "f8"],
        ["kind", "u1"],
        ["state", "u1"],
        ["flag", "u1"],
        ["severities", "u1"],
        ["template", "u1"],
        ["n0", "u1"],
        ["n1", "u1"],
        ["n2", "u1"],
      ],
      kinds: ["magic", "data_page", "offset_index", "footer"],
      templates: ["magic", "row_groups/#/columns/#/pages/#", "row_groups/#/columns/#/offset_index", "footer"],
      flags: [
        { severity: "slow", sentence: "It is slow.", more: 0, stands_for: 1 },
        { severity: "wasteful", sentence: "It is large.", more: 0, stands_for: 1 },
      ],
    },
    buffers: [
      f8(0, 4, 30, 50, 70, 80, 90),
      u1(0, 1, 1, 1, 2, 2, 3),
      u1(...state),
      u1(0, 1, 1, 2, 1, 0, 0),
      u1(0, 4, 12, 8, 4, 0, 0),
      u1(0, 1, 1, 1, 2, 2, 3),
      u1(0, 0, 0, 0, 0, 0, 0),
      u1(0, 0, 0, 1, 0, 1, 0),
      u1(0, 0, 1, 0, 0, 0, 0),
    ],
  });
}

test("addresses are built from templates and numbers", () => {
  expect([0, 2, 3, 5].map((i) => layout().address(i))).toEqual([
    "magic",
    "row_groups/0/columns/0/pages/1",
    "row_groups/0/columns/1/pages/0",
    "row_groups/0/columns/1/offset_index",
  ]);
});

test("a byte is found in its tile", () => {
  expect([0, 3, 4, 49, 50, 99].map((byte) => layout().at(byte))).toEqual([0, 0, 1, 2, 3, 6]);
});

test("the pages of a chunk are one block, and neighbouring indexes are one", () => {
  expect(
    layout()
      .blocks()
      .map(({ start, end, column }) => [start, end, column]),
  ).toEqual([
    [0, 4, -1],
    [4, 50, 0],
    [50, 70, 1],
    [70, 90, -1],
    [90, 100, -1],
  ]);
});

test("the tail begins after the last page", () => {
  expect(layout().tail()).toBe(70);
});

test("locked and corrupt tiles have their own families, and the tail begins at the same byte", () => {
  const broken = layout([0, 1, 2, 2, 0, 0, 0]);
  expect([...broken.family.slice(0, 4)]).toEqual([7, LOCKED, CORRUPT, CORRUPT]);
  expect(broken.tail()).toBe(70);
  expect(broken.blocks().map((block) => block.start)).toEqual([0, 4, 50, 70, 90]);
});

test("totals count bytes and tiles of each family", () => {
  const { bytes, tiles } = layout().totals();
  expect([bytes[0], tiles[0]]).toEqual([66, 3]);
  expect(bytes.reduce((a, b) => a + (b ?? 0), 0)).toBe(100);
});

test("tiles that follow each other and have one severity make a run", () => {
  expect([0, 1, 3].map((tile) => layout().flagOf(tile)?.sentence)).toEqual([
    undefined,
    "It is slow.",
    "It is large.",
  ]);
  expect(flaggedRuns(layout(), 0, 100)).toEqual([
    [4, 50, "slow"],
    [50, 70, "wasteful"],
    [70, 80, "slow"],
  ]);
  expect(flaggedRuns(layout(), 0, 20)).toEqual([[4, 30, "slow"]]);
  expect(flaggedRuns(layout(), 0, 100, "wasteful")).toEqual([[30, 70, "wasteful"]]);
});
