import { describe, expect, it } from "vitest";
import { Query, Skips } from "./query";

describe("the bytes that a query reads", () => {
  const skips = new Skips([10, 50], [20, 60], ["bounds"], [-1, 0]);

  it.each([
    [0, 10, false],
    [0, 11, true],
    [19, 20, true],
    [20, 50, false],
    [20, 51, true],
    [60, 99, false],
    [15, 15, true],
  ])("from %i to %i", (start, end, read) => expect(skips.reads(start, end)).toBe(read));

  it("leaves the others", () => {
    expect(skips.unread(0, 100)).toEqual([
      [0, 10],
      [20, 50],
      [60, 100],
    ]);
    expect(skips.unread(12, 55)).toEqual([[20, 50]]);
    expect(skips.unread(0, 100, 30)).toEqual([[60, 100]]);
    expect(new Skips([], []).unread(0, 5)).toEqual([[0, 5]]);
  });

  it("names what skips a row group", () => {
    expect(skips.by(0)).toBeNull();
    expect(skips.by(1)).toBe("bounds");
    expect(skips.by(2)).toBeNull();
  });

  it("dims nothing if the condition cannot be asked", () => {
    const wrong = new Skips([], [], [], [], "there is no column 'x'");
    expect(wrong.reads(0, 1)).toBe(true);
    expect(wrong.unread(0, 9)).toEqual([]);
  });
});

describe("the condition", () => {
  it("is an argument of the lens query only, and only if it is set", () => {
    const values: Record<string, string> = { where: " x > 1 ", engine: "spark" };
    const query = new Query({
      get: (name) => values[name],
      set: (name, value) => {
        values[name] = value;
      },
      save_changes: () => {},
    });
    expect(query.args("query")).toEqual({ where: "x > 1", engine: "spark" });
    expect(query.args("rows")).toEqual({});
    query.ask("");
    expect(query.args("query")).toEqual({});
    expect(values.engine).toBe("spark");
  });
});

it("why nothing can be asked: a saved page, or a kernel that does not answer", () => {
  expect(new Query(null, true).closed).toContain("saved page");
  const query = new Query(null);
  const seen: boolean[] = [];
  query.lost.on((lost) => seen.push(lost));
  expect(query.closed).toBe("");
  for (const lost of [true, true, false]) query.lose(lost);
  expect(seen).toEqual([true, false]);
  query.lose(true);
  expect(query.closed).toContain("run the cell again");
});
