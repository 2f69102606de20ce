import { expect, test } from "vitest";
import { styleOf } from "./strip";

test.each([
  ["rle run", "#E69F00", "full"],
  ["bit-packed run", "#0072B2", "hatched"],
  ["packed values", "#0072B2", "hatched"],
  ["block", "#0072B2", "hatched"],
  ["prefix lengths: block", "#CC79A7", "hatched"],
  ["suffix lengths: block", "#56B4E9", "hatched"],
  ["prefix lengths: header", "#6E6E6E", "low"],
  ["value", "#0072B2", "full"],
  ["first value", "#6E6E6E", "low"],
  ["bit width", "#6E6E6E", "low"],
  ["stream", "#009E73", "dotted"],
  ["vector", "#009E73", "hatched"],
])("a %s has its colour and its shape", (kind, colour, shape) => {
  expect(styleOf(kind)).toEqual({ colour, shape });
});
