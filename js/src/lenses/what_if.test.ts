import { describe, expect, it } from "vitest";
import type { Context } from "../context";
import type { Change, Chosen, Matrix, Row, Whole } from "../wire/what_if";
import { total } from "./what_if_columns";
import { estimated, estimateText, isChosen, toggled } from "./what_if_estimate";
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

describe("what is chosen", () => {
  const change = (more: Partial<Change>): Change => ({
    kind: "type",
    column: "",
    choice: "",
    without: 100,
    bytes: 50,
    error: "",
    sentence: "",
    sort: [],
    types: [],
    ...more,
  });
  const first: Chosen = { page_rows: 20_000, row_group_rows: 1_000, sort: [], types: [] };
  const type = change({ column: "b", types: [["b", "int32"]] });
  const order = change({ column: "", sort: ["a", "b"], bytes: 80 });
  const layout = {
    size: 310,
    row_groups: 2,
    rest: 10,
    groups: [
      [100, 60],
      [80, 60],
    ],
  };
  const whole = {
    names: ["a", "b"],
    changes: [type, order],
    predicted: { chosen: first, layout },
  } as never as Whole;

  it("has one order of the rows and one type of a column", () => {
    const both = toggled(order, toggled(type, first, true), true);
    expect(both).toEqual({ ...first, sort: ["a", "b"], types: [["b", "int32"]] });
    expect([isChosen(type, both), isChosen(order, both)]).toEqual([true, true]);
    const other = change({ types: [["b", "date32"]] });
    expect(toggled(other, both, true).types).toEqual([["b", "date32"]]);
    expect(toggled(order, both, false).sort).toEqual([]);
    expect(isChosen(change({}), both)).toBe(false);
  });

  it("is shown at once by what each change does alone", () => {
    const of = (chosen: Chosen) => estimated(whole, chosen, 2_000);
    expect(of(first)).toEqual(layout);
    expect(of(toggled(type, first, true))?.groups).toEqual([
      [100, 30],
      [80, 30],
    ]);
    expect(of(toggled(order, first, true))?.size).toBe(80 + 48 + 64 + 48 + 10);
    const apart = of({ ...first, row_group_rows: 500 });
    expect(apart).toMatchObject({ row_groups: 4, size: 310 });
    expect(apart?.groups[3]).toEqual([45, 30]);
    expect(of({ ...first, row_group_rows: 1 })?.groups.length).toBe(1);
    expect(estimateText(layout, 620)).toBe(
      "The new file has about 310 B, 50 % of the 620 B today, by what each change does alone.",
    );
  });
});
