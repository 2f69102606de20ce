import { expect, test } from "vitest";
import { LINE, Wrap, Zooms } from "./wrap";

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

test("a byte that is held follows the pointer, as far as the file goes", () => {
  const wrap = wrapped(90_000);
  wrap.zoom(0.1, 45_000);
  const byte = wrap.byteAt(100, 2 * LINE);
  wrap.hold(byte, 300, 4 * LINE + 3);
  expect(wrap.byteAt(300, 4 * LINE + 3)).toBeCloseTo(byte);
  wrap.hold(80, 300, 4 * LINE);
  expect(wrap.low).toBe(0);
});

test("panning says whether anything moved", () => {
  const wrap = wrapped(90_000);
  expect(wrap.pan(1)).toBe(false);
  wrap.zoom(0.1, 0);
  expect([wrap.pan(-1), wrap.pan(2), wrap.low]).toEqual([false, true, 2_000]);
});

test("a tile that is fit lies in the middle of four fifths of the room", () => {
  const wrap = wrapped(90_000);
  wrap.fit(40_000, 48_000);
  expect([wrap.low, wrap.high]).toEqual([39_000, 49_000]);
  wrap.fit(0, 8);
  expect([wrap.low, wrap.high]).toEqual([0, 144]);
  wrap.fit(89_992, 90_000);
  expect(wrap.high).toBe(90_000);
});

test("going back undoes a gesture, not each of its steps", () => {
  const [wrap, zooms] = [wrapped(90_000), new Zooms()];
  for (const now of [0, 100, 200, 1_000, 1_100]) {
    zooms.note(wrap, now);
    wrap.zoom(0.5, 0);
  }
  expect([zooms.back(wrap), wrap.high]).toEqual([true, 11_250]);
  expect([zooms.back(wrap), wrap.high]).toEqual([true, 90_000]);
  expect(zooms.back(wrap)).toBe(false);
});

test("there is nothing to go back to from the whole file", () => {
  const [wrap, zooms] = [wrapped(90_000), new Zooms()];
  for (const [now, factor] of [
    [0, 0.5],
    [1_000, Number.POSITIVE_INFINITY],
  ]) {
    zooms.note(wrap, now);
    wrap.zoom(factor, 0);
  }
  expect([zooms.back(wrap), wrap.isWhole]).toEqual([false, true]);
});
