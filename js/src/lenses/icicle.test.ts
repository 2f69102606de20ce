import { expect, test } from "vitest";
import { stepOf } from "./compare";
import { beside, nameOf } from "./icicle";

const tree = [-1, 0, 0, 1, 1].map((above) => ({ above }));

test.each([
  [0, "ArrowDown", 1],
  [1, "ArrowRight", 2],
  [2, "ArrowRight", 2],
  [2, "ArrowLeft", 1],
  [1, "ArrowDown", 3],
  [3, "ArrowRight", 4],
  [4, "ArrowUp", 1],
  [0, "ArrowUp", 0],
  [4, "ArrowDown", 4],
  [4, "Home", null],
])("from tile %i, %s leads to %s", (at, key, to) => {
  expect(beside(tree, at as number, key as string)).toBe(to);
});

test.each([
  [56, 1],
  [20, 5],
  [10, 5],
  [1, 50],
  [0.45, 100],
])("row groups of %d pixels have a number every %d", (each, step) => {
  expect(stepOf(each)).toBe(step);
});

test.each([
  [{ label: "payload", kind: "", level: 1 }, 7, "payload"],
  [{ label: "orders.lines.price", kind: "", level: 1 }, 9, "orde…rice"],
  [{ label: "row group 17", kind: "", level: 2 }, 6, "17"],
  [{ label: "row group 17", kind: "", level: 1 }, 6, "row…17"],
  [{ label: "row group 17", kind: "", level: 2 }, 1, ""],
  [{ label: "data pages", kind: "data_page", level: 2 }, 9, ""],
])("%j in %i characters is %j", (tile, width, name) => {
  expect(nameOf(tile, width as number, (text) => text.length)).toBe(name);
});
