import { expect, test } from "vitest";
import type { Span } from "./context";
import { beside, marksOf } from "./plotmarks";

const mark = (address: string | null, text: string, span: Span | null = null) => ({ address, text, span });

const tree = marksOf([
  {
    ids: ["all", "a", "b", "a1", "a2"],
    parents: ["", "all", "all", "a", "a"],
    labels: ["file", "a", "b", "one", "two"],
    customdata: [
      mark("", "the file"),
      mark("schema/1", "a: 5 B", { start: 4, end: 9, space: "file" }),
      mark("schema/2", "b"),
      mark(null, "no address"),
      mark("x", "two"),
    ],
  },
]);

test("marks have an address, a text, bytes and the mark above", () => {
  expect(tree.map((mark) => mark.address)).toEqual(["", "schema/1", "schema/2", null, "x"]);
  expect(tree[1]).toMatchObject({ text: "a: 5 B", span: { start: 4, end: 9 }, point: 1, curve: 0 });
  expect(tree.map((mark) => mark.above)).toEqual([-1, 0, 0, 1, 1]);
});

test.each([
  [-1, "ArrowRight", 0],
  [0, "ArrowDown", 1],
  [1, "ArrowRight", 2],
  [2, "ArrowRight", 2],
  [2, "ArrowLeft", 1],
  [1, "ArrowDown", 3],
  [3, "ArrowRight", 4],
  [4, "ArrowUp", 1],
  [4, "ArrowDown", 4],
  [4, "Home", 0],
  [0, "End", 4],
  [0, "x", null],
])("in a tree, from %i by %s to %s", (at, key, to) => {
  expect(beside(tree, at as number, key as string)).toBe(to);
});

test("bars are walked one after the other, trace by trace", () => {
  const bars = marksOf([
    { name: "one", x: [1, 2], y: [3, 4], customdata: [mark("p", "one, 1"), mark("q", "one, 2")] },
    { name: "no marks", x: [1] },
    { name: "two", x: [1], y: [5], customdata: [mark("r", "two, 1")] },
  ]);
  expect(bars.map((mark) => mark.text)).toEqual(["one, 1", "one, 2", "two, 1"]);
  expect(bars[2]).toMatchObject({ curve: 2, point: 0, above: -1 });
  expect(beside(bars, 1, "ArrowDown")).toBe(2);
  expect(beside(bars, 2, "ArrowRight")).toBe(2);
  expect(beside([], -1, "ArrowRight")).toBeNull();
});
