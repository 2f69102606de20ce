import { describe, expect, test } from "vitest";
import { frame, rectangles, type Sides, sidesText, stepOf } from "./geospatial";

describe("boxes", () => {
  test("one rectangle, or two across the antimeridian", () => {
    expect(rectangles([1, 2, 3, 4])).toEqual([[1, 2, 3, 4]]);
    expect(rectangles([170, -170, 0, 10])).toEqual([
      [170, 180, 0, 10],
      [-180, -170, 0, 10],
    ]);
  });

  test("the frame holds all boxes and stays on the globe", () => {
    const boxes: Sides[] = [
      [0, 100, 0, 50],
      [50, 178, 10, 88],
    ];
    const [x0, x1, y0, y1] = frame(boxes, true);
    expect(x0).toBeCloseTo(-14.24);
    expect([x1, y1]).toEqual([180, 90]);
    expect(y0).toBeCloseTo(-14.24);
    expect(frame([[170, -170, 0, 10]], true).slice(0, 2)).toEqual([-180, 180]);
    expect(frame([], true)).toEqual([-180, 180, -90, 90]);
  });

  test("a single point has a frame around it", () => {
    const [x0, x1] = frame([[5, 5, 6, 6]], false);
    expect(x0).toBeLessThan(5);
    expect(x1).toBeGreaterThan(5);
  });

  test("what is said of a box", () => {
    expect(sidesText([170, -170, 0, 10])).toBe("x 170 to -170, across the antimeridian, y 0 to 10");
  });
});

test.each([
  [360, 5, true, 90],
  [100, 5, true, 30],
  [8, 5, true, 2],
  [0.01, 5, false, 0.002],
  [1_000_000, 5, false, 200_000],
])("lines over %d, about %d of them, are %d apart", (extent, most, geographic, step) => {
  expect(stepOf(extent, most, geographic as boolean)).toBeCloseTo(step as number, 9);
});
