import { expect, test } from "vitest";
import { readKept } from "./kept";

const FIRST = { sizes: {}, dock: "auto", folded: false };

test("what was kept is read again", () => {
  const kept = { sizes: { map: 200, tree: 300 }, dock: "beside", folded: true };
  expect(readKept(JSON.stringify(kept))).toEqual(kept);
});

test.each([
  null,
  "",
  "{",
  "null",
  "[1]",
  "7",
  '{"sizes": null}',
  '{"sizes": {"map": "x"}}',
  '{"dock": "above"}',
])("what is broken is as at first: %s", (text) => expect(readKept(text)).toEqual(FIRST));

test("a size is held between the smallest and the largest", () => {
  expect(readKept('{"sizes": {"tree": 1e9, "bytes": -4}}').sizes).toEqual({ tree: 700, bytes: 84 });
});
