import { expect, test } from "vitest";
import { brushOf, dragged, gripAt, sorted } from "./brush";

test("the window lies where its bytes are, and can always be seen", () => {
  expect(brushOf([0, 1_000], 1_000, 500)).toEqual({ x: 0, width: 500 });
  expect(brushOf([250, 500], 1_000, 500)).toEqual({ x: 125, width: 125 });
  expect(brushOf([499, 501], 1_000, 500)).toEqual({ x: 246, width: 8 });
  expect(brushOf([999, 1_000], 1_000, 500)).toEqual({ x: 492, width: 8 });
});

test.each([
  [98, "low"],
  [104, "low"],
  [150, "inside"],
  [197, "high"],
  [203, "high"],
  [90, "outside"],
  [210, "outside"],
])("at %i pixels a pointer takes hold of: %s", (x, grip) => {
  expect(gripAt(x, { x: 100, width: 100 }, 500)).toBe(grip);
});

test("a narrow window has a middle, and the whole file has no window", () => {
  expect([101, 104, 107].map((x) => gripAt(x, { x: 100, width: 8 }, 500))).toEqual(["low", "inside", "high"]);
  expect(gripAt(1, { x: 0, width: 500 }, 500)).toBe("outside");
});

test.each([
  ["inside", 100, [300, 400]],
  ["inside", -900, [0, 100]],
  ["inside", 5_000, [900, 1_000]],
  ["low", 50, [250, 300]],
  ["low", 150, [300, 350]],
  ["low", -900, [0, 300]],
  ["high", 5_000, [200, 1_000]],
  ["high", -150, [150, 200]],
] as const)("a drag of %s by %i bytes", (grip, bytes, range) => {
  expect(dragged(grip, [200, 300], bytes, 1_000)).toEqual(range);
});

test("a new window goes from the left to the right", () => {
  expect([sorted(5, 2), sorted(2, 5)]).toEqual([
    [2, 5],
    [2, 5],
  ]);
});
