import { expect, test } from "vitest";
import { familyOf, isUnknown, LOCKED, UNKNOWN } from "./kinds";

test("bytes whose owner needs a key are not drawn as encrypted", () => {
  expect(familyOf("unknown_parts")).toBe(UNKNOWN);
  expect(UNKNOWN).not.toBe(LOCKED);
  expect(isUnknown({ address: "unknown_parts" })).toBe(true);
  expect(isUnknown({ address: "unknown_parts/4" })).toBe(true);
  expect(isUnknown({ address: "footer" })).toBe(false);
});
