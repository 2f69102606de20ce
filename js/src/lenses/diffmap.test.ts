import { expect, test } from "vitest";
import type { Theme } from "../theme";
import type { FilesMap as Both, MapLine } from "../wire/diff";
import { change, changeText, DiffPainting, groupsText, slotText } from "./diffmap";

const line = (more: Partial<MapLine>): MapLine => ({
  label: "id",
  kind: "column",
  columns: 1,
  first: 0,
  second: 0,
  state: "same",
  bytes: [0, 0],
  differences: 0,
  ...more,
});

test.each([
  [1000, 2150, "2.1 × larger"],
  [1000, 1050, "5.0 % larger"],
  [1000, 690, "31 % smaller"],
  [100_000, 99_999, "< 0.1 % smaller"],
  [0, 10, ""],
  [7, 7, ""],
])("from %d to %d bytes is %j", (one, two, said) => expect(change(one, two)).toBe(said));

test.each([
  [line({ state: "grown", bytes: [1000, 2150] }), "▲ 1.00 kB → 2.15 kB, 2.1 × larger"],
  [line({ state: "grown", bytes: [0, 10] }), "▲ 0 B → 10 B"],
  [line({ state: "gone", bytes: [318, null] }), "× gone, 318 B"],
  [line({ state: "added", bytes: [null, null] }), "+ new"],
  [line({ state: "unknown", bytes: [null, 4] }), "? not known"],
  [line({ state: "same", bytes: [5, 5] }), "= 5 B"],
])("%# a line says what became of its bytes", (one, said) => expect(changeText(one)).toBe(said));

test("row groups in words", () => {
  expect(groupsText([3, 4])).toBe("row group 3");
  expect(groupsText([0, 4])).toBe("row groups 0 to 3");
  expect(slotText({ first: [0, 1], second: [0, 1] })).toBe("row group 0");
  expect(slotText({ first: [0, 1], second: [0, 4] })).toBe("row group 0 of A beside row groups 0 to 3 of B");
  expect(slotText({ first: [2, 2], second: [2, 3] })).toBe("row group 2 of B");
});

const MAP: Both = {
  names: ["a", "b"],
  kinds: ["dictionary_page", "data_page"],
  lines: [
    line({ label: "all columns", kind: "all", first: null, second: null }),
    line({ label: "id", first: 0, second: 1 }),
    line({ label: "gone", first: 1, second: null, state: "gone" }),
    line({ label: "new", first: null, second: 0, state: "added" }),
  ],
  slots: [
    { first: [0, 1], second: [0, 2] },
    { first: [1, 1], second: [2, 3] },
  ],
  first: [4, 10, 0, 0, 2, 3, 0, 0, 2, 7, 0, 0, 0, 0, 0, 0],
  second: [0, 9, 0, 4, 0, 5, 0, 2, 0, 0, 0, 0, 0, 4, 0, 2],
  states: ["shrunk", "added", "same", "added", "gone", "absent", "added", "added"],
  starts: [-1, -1, 40, -1, 45, -1, -1, -1],
  sizes: [20, 20],
  rest: [6, 7],
  chosen: [2, 0],
  columns: 3,
  groups: [1, 3],
};

test("a mark leads to its place in each file, null where there is none", () => {
  const went: (string | null)[][] = [];
  const painting = new DiffPainting(MAP, (...both) => went.push(both));
  for (const mark of [0, 1, 2, 3, 4, 6]) painting.choose(mark);
  expect(went).toEqual([
    ["row_groups/0", "row_groups/0"],
    [null, "row_groups/2"],
    ["row_groups/0/columns/0", "row_groups/0/columns/1"],
    [null, "row_groups/2/columns/1"],
    ["row_groups/0/columns/1", null],
    [null, "row_groups/0/columns/0"],
  ]);
});

test("a mark says what became of its bytes, kind by kind", () => {
  const painting = new DiffPainting(MAP, () => {});
  const slot = "row group 0 of A beside row groups 0 to 1 of B";
  expect(painting.say(0)).toBe(
    `all columns, ${slot}: ▼ 14 B → 9 B, 36 % smaller: dictionary page 4 B → 0 B, data pages 10 B → 9 B`,
  );
  expect(painting.say(2)).toBe(`id, ${slot}: = 5 B in both files`);
  expect(painting.say(3)).toBe("id, row group 2 of B: + 2 B, only in B, b");
  expect(painting.say(4)).toBe(`gone, ${slot}: × 9 B, only in A, a`);
  expect(painting.say(5)).toBe("gone, row group 2 of B: in neither file");
});

test("a mark has the bytes of the first file's chunk; the chosen place is a mark", () => {
  const painting = new DiffPainting(MAP, () => {});
  expect(painting.span(2)).toEqual({ start: 40, end: 45, space: "file" });
  expect(painting.span(3)).toBeNull();
  expect([painting.count, painting.across(), painting.first]).toEqual([8, 2, 4]);
  painting.update({ ...MAP, chosen: [-1, -1] });
  expect(painting.first).toBe(-1);
});

/** The texts that a picture draws, each letter six pixels wide. */
function textsOf(map: Both, width: number): string[] {
  const drawn: string[] = [];
  const measureText = (text: string) => ({ width: text.length * 6 });
  const pen = new Proxy(
    {},
    {
      get: (_, name) =>
        name === "measureText"
          ? measureText
          : (text: string) => void (name === "fillText" && drawn.push(text)),
      set: () => true,
    },
  );
  const theme = { background: "#ffffff", ink: "#000000", muted: "#666666", accent: "#0000ff", dark: false };
  new DiffPainting(map, () => {}).draw(
    pen as unknown as CanvasRenderingContext2D,
    width,
    400,
    theme as unknown as Theme,
  );
  return drawn;
}

test("numbers of row groups are whole, and long names keep their end", () => {
  const slots = [0, 1, 2].map((i) => ({ first: [0, 0], second: [100 * i, 100 * i + 100] }));
  const long = "a_name_that_is_too_long_for_the_room_that_a_line_has_";
  const lines = ["one", "two"].map((end) => ({ ...MAP.lines[2], label: long + end }));
  const none = new Array<number>(12).fill(0);
  const states = new Array<MapLine["state"]>(6).fill("same");
  const drawn = textsOf({ ...MAP, slots, lines, first: none, second: none, states }, 160);
  expect(drawn.filter((text) => /^B \d/.test(text))).toEqual(["B 0–99", "B 100–199"]); // no room for the third
  expect(drawn.filter((text) => /^a_nam….*_(one|two)$/.test(text))).toHaveLength(2);
});
