import { expect, test } from "vitest";
import { pythonLine } from "./code";

const LINES: [string, Record<string, string>, string][] = [
  ["a.parquet", {}, 'pqexplore.explore("a.parquet")'],
  ["a.parquet", { selection: "footer", view: "", where: "" }, 'pqexplore.explore("a.parquet", at="footer")'],
  [
    '../"a".parquet',
    { selection: "", view: "query", where: "x = 'y'" },
    'pqexplore.explore("../\\"a\\".parquet", view="query", where="x = \'y\'")',
  ],
  ["t", { kind: "lake" }, 'pqexplore.explore_lake("t")'],
  ["t", { kind: "lake", file: "t/a", selection: "footer" }, 'pqexplore.explore_lake("t", at="t/a#footer")'],
];

test.each(LINES)("the line for %s with %o", (path, state, line) => {
  expect(pythonLine(path, state)).toBe(line);
});
