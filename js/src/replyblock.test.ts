import { expect, test } from "vitest";
import { valuesOf } from "./replyblock";

test("columns of every form give their values", () => {
  const column = [
    "objects",
    ["at", "name", "items", "any"],
    [
      ["steps", [5, 1, -2]],
      ["words", ["a", "b"], [0, 1, 0]],
      ["lists", ["values", [2, 0, 1]], ["values", [1.5, null, true]]],
      [
        "kinds",
        [0, 1, 0],
        [
          ["same", "x", 2],
          ["values", [{}]],
        ],
      ],
    ],
  ];
  expect(valuesOf(column as never)).toEqual([
    { at: 5, name: "a", items: [1.5, null], any: "x" },
    { at: 6, name: "b", items: [], any: {} },
    { at: 4, name: "a", items: [true], any: "x" },
  ]);
});
