import { expect, test } from "vitest";
import { LINE, Wrap } from "./wrap";

function wrapped(size: number): Wrap {
  const wrap = new Wrap();
  wrap.width = 500; // too narrow for a gutter: x is all of it
  wrap.whole(size);
  return wrap;
}

test("bytes and places agree", () => {
  const wrap = wrapped(9_000);
  expect(wrap.byteAt(250, LINE * 2 + 1)).toBeCloseTo(2_500);
  expect(wrap.marks(2_500, 2_600)).toEqual([{ x: 250, y: 2 * LINE, width: 50 }]);
});

test("a range over several lines has a mark in each", () => {
  const marks = wrapped(9_000).marks(500, 2_500);
  expect(marks).toEqual([
    { x: 250, y: 0, width: 250 },
    { x: 0, y: LINE, width: 500 },
    { x: 0, y: 2 * LINE, width: 250 },
  ]);
});

test("bytes that are not shown have no mark", () => {
  const wrap = wrapped(90_000);
  wrap.zoom(0.1, 45_000);
  expect(wrap.marks(0, 100)).toEqual([]);
  expect(wrap.marks(89_000, 90_000)).toEqual([]);
});

test("zooming keeps the byte under the pointer where it is", () => {
  const wrap = wrapped(90_000);
  const byte = wrap.byteAt(125, 3 * LINE);
  wrap.zoom(0.5, byte);
  const share = (byte - wrap.low) / (wrap.high - wrap.low);
  expect(share).toBeCloseTo(byte / 90_000);
});

test("zooming ends at the whole file, and where single bytes are wide", () => {
  const wrap = wrapped(90_000);
  for (let i = 0; i < 50; i++) wrap.zoom(0.5, 4_000);
  expect(wrap.high - wrap.low).toBeCloseTo(144);
  wrap.zoom(Number.POSITIVE_INFINITY, 0);
  expect(wrap.isWhole).toBe(true);
});

test("a file of one byte fills the map", () => {
  expect(wrapped(1).marks(0, 1)).toHaveLength(9);
});
