import { describe, expect, it } from "vitest";
import type { Context } from "../context";
import type { Matrix, Row } from "../wire/what_if";
import { total } from "./what_if_columns";
import { LayoutPainting, tiles } from "./what_if_layout";
import { broken, MatrixPainting, ratio } from "./what_if_matrix";

const ctx = {} as Context;

describe("the name of an encoding", () => {
  it.each([
    ["PLAIN", 20, ["PLAIN"]],
    ["DELTA_LENGTH_BYTE_ARRAY", 12, ["DELTA_", "LENGTH_BYTE_", "ARRAY"]],
    ["RLE_DICTIONARY", 8, ["RLE_", "DICTIONA", "RY"]],
    ["RLE_DICTIONARY, 16.8 MB", 15, ["RLE_DICTIONARY, ", "16.8 MB"]],
  ])("%s in %i characters", (name, chars, lines) => {
    expect(broken(name, chars)).toEqual(lines);
    expect(broken(name, chars).join("")).toBe(name);
  });
});

describe("a part of today's bytes", () => {
  it.each([
    [70, 100, false, "70 %"],
    [7, 100, true, "~7.0 %"],
    [140, 100, false, "140 %"],
    [1_400, 100, false, "14 ×"],
    [999, 100, false, "999 %"],
    [5, 0, false, "5 B"],
  ])("%i of %i", (bytes, today, estimate, text) => expect(ratio(bytes, today, estimate)).toBe(text));
});

describe("the matrix", () => {
  const cell = (bytes: number, error = "", unread_by: string[] = []) => ({ bytes, error, unread_by });
  const matrix: Matrix = {
    column: "city",
    address: "schema/1",
    span: null,
    today: 1_000,
    codecs: ["SNAPPY", "BROTLI 8"],
    encodings: ["PLAIN", "RLE_DICTIONARY"],
    cells: [cell(2_000), cell(500), cell(400, "± 20 B", ["Spark"]), null],
    best: 1,
  };
  const painting = new MatrixPainting(matrix, ctx);

  it.each([
    [0, "PLAIN, SNAPPY: 2,000 B, 200 % of the 1,000 B today"],
    [1, "RLE_DICTIONARY, SNAPPY: 500 B, 50 % of the 1,000 B today, the best"],
    [2, "PLAIN, BROTLI 8: 400 B, 40 % of the 1,000 B today, an estimate, ± 20 B, not read by Spark"],
    [3, "RLE_DICTIONARY, BROTLI 8: not measured"],
  ])("says of mark %i", (mark, text) => expect(painting.say(mark)).toBe(text));

  it("begins at the best choice, and a line is a codec", () => {
    expect([painting.first, painting.across()]).toEqual([1, 2]);
  });

  it("finds the cell at a point", () => {
    const bottom = painting.height(504) - 10;
    expect([painting.at(110, bottom), painting.at(500, bottom), painting.at(20, bottom)]).toEqual([2, 3, -1]);
  });
});

describe("the columns", () => {
  const row = (column: string, today: number, bytes: number, error = ""): Row => ({
    column,
    address: "",
    today,
    bytes,
    error,
    choice: "",
  });

  it("add up to a total of those that were tried", () => {
    const rows = [row("a", 10, 4), row("b", 20, 15)];
    expect(total(rows, 2)).toMatchObject({ column: "all columns", today: 30, bytes: 19, error: "" });
    const some = [...rows, row("c", 99, -1), row("d", 5, 5, "± 1 B")];
    expect(total(some, 4)).toMatchObject({ column: "3 columns", today: 35, bytes: 24, error: "an estimate" });
  });
});

describe("the strips", () => {
  const bytes = {
    size: 100,
    groups: [
      [40, 0],
      [30, 20],
    ],
    rest: 10,
    row_groups: 2,
  };

  it("have a tile for each chunk with bytes, and one for the rest", () => {
    expect(tiles(bytes)).toEqual([
      { start: 0, bytes: 40, group: 0, column: 0 },
      { start: 40, bytes: 30, group: 1, column: 0 },
      { start: 70, bytes: 20, group: 1, column: 1 },
      { start: 90, bytes: 10, group: -1, column: -1 },
    ]);
  });

  it("say what a tile is, and find it at a point", () => {
    const joined = { size: 50, groups: [[25, 20]], rest: 5, row_groups: 7 };
    const selected: string[] = [];
    const does = { select: (address: string) => selected.push(address) } as unknown as Context;
    const painting = new LayoutPainting(bytes, joined, ["a", "b"], ["schema/1", "schema/2"], does);
    expect(painting.count).toBe(7);
    expect(painting.say(2)).toBe("today: b, row group 1: 20 B");
    expect(painting.say(3)).toBe("today: footer, indexes: 10 B");
    expect(painting.say(5)).toBe(
      "predicted: b, all row groups with its indexes, by its share of the rows: 20 B",
    );
    expect(painting.say(6)).toBe("predicted: footer: 5 B");
    for (const mark of [1, 3, 5]) painting.choose(mark);
    expect(selected).toEqual(["row_groups/1/columns/0", "schema/2"]);
  });
});
