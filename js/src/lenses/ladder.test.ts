import { describe, expect, it } from "vitest";
import type { Rung } from "../wire/nesting";
import { nextRow, rungs } from "./ladder";

const rung = (name: string, repetition: Rung["repetition"], d: number, r: number): Rung => ({
  name,
  repetition,
  kind: "group",
  definition_level: d,
  repetition_level: r,
  address: "",
});
const TAGS = [
  rung("tags", "optional", 1, 0),
  rung("list", "repeated", 2, 1),
  rung("element", "optional", 3, 1),
];
const states = (repetition: number, definition: number) =>
  rungs(TAGS, { repetition, definition }).map((r) => r.state);

describe("how far an entry reaches", () => {
  it("stops where its definition level ends", () => {
    expect(states(0, 0)).toEqual(["null", "beyond", "beyond"]);
    expect(states(0, 1)).toEqual(["there", "empty", "beyond"]);
    expect(states(0, 2)).toEqual(["there", "there", "null"]);
    expect(states(0, 3)).toEqual(["there", "there", "there"]);
  });

  it("goes on with the list of its repetition level", () => {
    expect(states(1, 3)).toEqual(["there", "goes-on", "there"]);
  });

  it("gives a required field the state of the field around it", () => {
    const path = [rung("a", "optional", 1, 0), rung("b", "required", 1, 0)];
    expect(rungs(path, { repetition: 0, definition: 1 }).map((r) => r.state)).toEqual(["there", "there"]);
    expect(rungs(path, { repetition: 0, definition: 0 }).map((r) => r.state)).toEqual(["null", "beyond"]);
  });

  it("names the levels of a field", () => {
    expect(rungs(TAGS, null).map((r) => r.levels)).toEqual(["d 1", "d 2 · r 1", "d 3"]);
  });
});

describe("the next row", () => {
  const levels = [0, 1, 1, 0, 0];
  const next = (at: number, by: 1 | -1) => nextRow(at, by, levels.length, (i) => levels[i]);
  it("begins at the next repetition level 0", () => {
    expect(next(0, 1)).toBe(3);
    expect(next(3, 1)).toBe(4);
    expect(next(4, 1)).toBe(4);
  });
  it("goes back the same way", () => {
    expect(next(4, -1)).toBe(3);
    expect(next(3, -1)).toBe(0);
    expect(next(0, -1)).toBe(0);
  });
  it("stops at an entry that is not known yet", () => {
    expect(nextRow(0, 1, 900, (i) => (i < 5 ? 1 : undefined))).toBe(5);
  });
});
