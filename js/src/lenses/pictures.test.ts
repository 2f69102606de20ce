import { expect, test } from "vitest";
import { cellSide } from "./bloomblocks";
import { edges } from "./page_index";
import { laneHeight, lanesOf } from "./statistics";

test("pages lie where their rows and bytes are", () => {
  const { left, right } = edges([100, 150, 200], [50, 50, 100], 100, 300);
  expect([...left]).toEqual([0, 0.25, 0.5]);
  expect([...right]).toEqual([0.25, 0.5, 1]);
});

test("without an offset index all pages have the same width", () => {
  const { left, right } = edges([-1, -1], [-1, -1], 0, 10);
  expect([...left]).toEqual([0, 0.5]);
  expect([...right]).toEqual([0.5, 1]);
});

test.each([
  [1, 18],
  [20, 17],
  [200, 1.7],
  [3_400, 0.1],
])("%d lanes are %d pixels high", (parts, tall) => {
  expect(laneHeight(parts)).toBeCloseTo(tall);
});

test.each([
  [8, 20],
  [1_024, 14],
  [32_768, 2],
  [1_000_000, 1],
])("%d blocks have cells of %d pixels", (cells, side) => {
  expect(cellSide(cells, 860)).toBe(side);
});

test("a lane without a place in the file has no span", () => {
  const lane = lanesOf({
    low: [0, 0.5],
    high: [0.5, 1],
    page: [0, 1],
    state: ["usable", "none"],
    name: ["row group 0", "page 0"],
    text: ["1 … 2", "no bounds"],
    address: ["a", null],
    start: [4, -1],
    end: [10, -1],
  });
  expect(lane(0).span).toEqual({ start: 4, end: 10, space: "file" });
  expect(lane(1)).toMatchObject({ page: true, span: null, address: null, state: "none" });
});
