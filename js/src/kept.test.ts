import { expect, test } from "vitest";
import { readKept } from "./kept";

const FIRST = { sizes: {}, map: false, tree: false, bytes: null };
const kept = (what: string) => readKept(`[["/a.ipynb", ${what}]]`, "/a.ipynb");

test("what was kept is read again, for its notebook alone", () => {
  const chosen = { sizes: { map: 200, tree: 300 }, map: true, tree: true, bytes: false };
  expect(kept(JSON.stringify(chosen))).toEqual(chosen);
  expect(readKept(JSON.stringify([["/a.ipynb", chosen]]), "/b.ipynb")).toEqual(FIRST);
});

test.each([null, "", "{", "null", "[1]", "7", "[[]]", '[["/a.ipynb"]]', '[[7, {"map": true}]]'])(
  "what is broken is as at first: %s",
  (text) => expect(readKept(text, "/a.ipynb")).toEqual(FIRST),
);

test.each(['{"sizes": null}', '{"sizes": {"map": "x"}}', '{"bytes": "above", "map": 1}', "7"])(
  "what is wrong for a notebook is as at first: %s",
  (what) => expect(kept(what)).toEqual(FIRST),
);

test("a size is held between the smallest and the largest", () => {
  expect(kept('{"sizes": {"tree": 1e9, "bytes": -4}}').sizes).toEqual({ tree: 700, bytes: 84 });
});
