import { expect, test } from "vitest";
import { ticks } from "./fleet";

test("an axis has the powers of ten, and more where it has few of them", () => {
  expect(ticks(0, 3)).toEqual([1, 10, 100, 1000]);
  expect(ticks(3.1, 4.4)).toEqual([2000, 5000, 10000, 20000]);
});
