import { describe, expect, it } from "vitest";
import { change as lakeChange, verdict } from "../lake/query";
import type { Stage } from "../wire/query";
import { joined } from "./query";
import { change } from "./query_parts";
import { lattice } from "./querygroups";
import { lookOf } from "./querylook";
import { placeOf } from "./querypages";

describe("the condition in parts", () => {
  it("is put together with other literals", () => {
    const sliders = [
      { before: "x BETWEEN ", column: "x", at: 0, stops: ["1", "2"] },
      { before: " AND ", column: "x", at: 1, stops: ["1", "2"] },
    ];
    expect(joined(sliders, ["7", "9"], " OR y")).toBe("x BETWEEN 7 AND 9 OR y");
    expect(joined([], [], "x > y")).toBe("x > y");
  });
});

describe("what a stage leaves", () => {
  const stage = (groups_in: number, groups_out: number, rows_in: number, rows_out: number): Stage => ({
    name: "bounds",
    groups_in,
    groups_out,
    rows_in,
    rows_out,
    why: "",
  });

  it.each([
    [stage(0, 0, 0, 0), "nothing left to skip"],
    [stage(4, 4, 40, 40), "skips nothing"],
    [stage(4, 1, 4_000, 1_000), "4 → 1 row group, 4,000 → 1,000 rows"],
    [stage(2, 2, 20, 15), "2 row groups, 20 → 15 rows"],
  ])("%o", (given, text) => expect(change(given)).toBe(text));

  it("in a lake counts files and bytes, too", () => {
    const files = { name: "bounds", files_in: 9, files_out: 2, row_groups_in: 90, row_groups_out: 5 };
    expect(lakeChange({ ...files, bytes_in: 9_000, bytes_out: 500 })).toBe(
      "9 → 2 files, 90 → 5 row groups, 9.00 kB → 500 B",
    );
    expect(lakeChange({ ...files, files_in: 0, bytes_in: 0, bytes_out: 0 })).toBe("nothing left to skip");
  });
});

describe("the verdict on a file of a lake", () => {
  const file = {
    path: "a",
    kept: true,
    unreadable: false,
    by: "",
    reason: "",
    row_groups: 2,
    of_row_groups: 5,
    size: 9,
  };

  it.each([
    [file, "2 of 5 row groups read"],
    [{ ...file, reason: "no bounds" }, "2 of 5 row groups read: no bounds"],
    [
      { ...file, kept: false, by: "bounds", reason: "the max 9 is too small" },
      "skipped by bounds: the max 9 is too small",
    ],
    [{ ...file, kept: false }, "skipped"],
    [
      {
        ...file,
        unreadable: true,
        row_groups: 0,
        of_row_groups: 0,
        reason: "the file cannot be read: cut off",
      },
      "not skipped: the file cannot be read: cut off",
    ],
  ])("%o", (given, text) => expect(verdict(given)).toBe(text));
});

describe("the cells of the row groups", () => {
  it.each([
    [1, 800, 1, 64],
    [40, 800, 40, 20],
    [100, 900, 100, 9],
    [1_000, 800, 88, 800 / 88],
    [3, 20, 2, 10],
  ])("%i row groups in %i pixels", (groups, width, across, wide) => {
    const cells = lattice(groups, width);
    expect(cells.across).toBe(across);
    expect(cells.wide).toBeCloseTo(wide);
    expect(cells.across * cells.wide).toBeLessThanOrEqual(width + 1e-9);
  });
});

describe("marks of pages and rows", () => {
  it.each([
    [0, [0, 0]],
    [2, [0, 2]],
    [3, [2, 0]],
    [5, [3, 1]],
  ])("mark %i", (mark, place) => expect(placeOf([3, 0, 1, 2], mark)).toEqual(place));
});

it("evidence that this bundle does not know has a look, too", () => {
  expect(lookOf("bounds")).not.toEqual(lookOf("Bloom filter"));
  expect(lookOf("bounds or null counts")).toEqual(lookOf("bounds"));
  expect(lookOf("something new").pattern).toBe("sparse");
});
