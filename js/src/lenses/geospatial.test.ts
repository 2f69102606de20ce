import { describe, expect, test } from "vitest";
import type { Sides } from "../wire/geospatial";
import { frame, rectangles, sidesText, stepOf } from "./geospatial";

const sides = (xmin: number, xmax: number, ymin: number, ymax: number): Sides => ({ xmin, xmax, ymin, ymax });

describe("boxes", () => {
  test("one rectangle, or two across the antimeridian", () => {
    expect(rectangles(sides(1, 2, 3, 4))).toEqual([sides(1, 2, 3, 4)]);
    expect(rectangles(sides(170, -170, 0, 10))).toEqual([sides(170, 180, 0, 10), sides(-180, -170, 0, 10)]);
  });

  test("the frame contains all boxes and stays on the globe", () => {
    const { xmin, xmax, ymin, ymax } = frame([sides(0, 100, 0, 50), sides(50, 178, 10, 88)], true);
    expect(xmin).toBeCloseTo(-14.24);
    expect([xmax, ymax]).toEqual([180, 90]);
    expect(ymin).toBeCloseTo(-14.24);
    expect(frame([sides(170, -170, 0, 10)], true)).toMatchObject({ xmin: -180, xmax: 180 });
    expect(frame([], true)).toEqual(sides(-180, 180, -90, 90));
  });

  test("a single point has a frame around it", () => {
    const { xmin, xmax } = frame([sides(5, 5, 6, 6)], false);
    expect(xmin).toBeLessThan(5);
    expect(xmax).toBeGreaterThan(5);
  });

  test("the text of a box", () => {
    expect(sidesText(sides(170, -170, 0, 10))).toBe("x 170 to -170, across the antimeridian, y 0 to 10");
  });
});

test.each([
  [360, 5, true, 90],
  [100, 5, true, 30],
  [8, 5, true, 2],
  [0.01, 5, false, 0.002],
  [1_000_000, 5, false, 200_000],
])("lines over %d, about %d of them, are %d apart", (extent, lines, geographic, step) => {
  expect(stepOf(extent, lines, geographic as boolean)).toBeCloseTo(step as number, 9);
});
