import { expect, test } from "vitest";
import { addressOf, bytesOf, edges, labelOf, type Strip, tileAt } from "./layoutstrips";

function strip(sizes: number[], more: Partial<Strip> = {}): Strip {
  const starts: number[] = [];
  let at = 0;
  for (const size of sizes) {
    starts.push(at);
    at += size;
  }
  return {
    address: "",
    title: "the file",
    start: 0,
    end: at,
    space: "file",
    count: sizes.length,
    kinds: ["gap"],
    template: "row_groups/0/columns/1/pages/#",
    chosen: -1,
    guessed: false,
    note: "",
    starts,
    kind: sizes.map(() => 0),
    labels: null,
    addresses: null,
    ...more,
  };
}

test("a magic can be hit beside a gigabyte", () => {
  const lefts = edges(strip([4, 1_000_000_000, 4]), 800);
  expect(lefts[1]).toBeGreaterThan(5);
  expect(lefts[3] - lefts[2]).toBeGreaterThan(5);
  expect(lefts[3]).toBeCloseTo(800);
  expect(tileAt(lefts, 2)).toBe(0);
  expect(tileAt(lefts, 400)).toBe(1);
  expect(tileAt(lefts, 799)).toBe(2);
});

test("larger tiles are wider, and all together fill the width", () => {
  const lefts = edges(strip([10, 500, 20_000, 40_000]), 600);
  const widths = [...lefts].slice(1).map((x, i) => x - lefts[i]);
  expect(widths).toEqual([...widths].sort((a, b) => a - b));
  expect(lefts[4]).toBeCloseTo(600);
});

test("a hundred thousand pages fit, and the opened one can be seen", () => {
  const many = strip(
    Array.from({ length: 100_000 }, (_, i) => 900 + (i % 200)),
    { chosen: 50_000 },
  );
  const begun = performance.now();
  const lefts = edges(many, 900);
  expect(performance.now() - begun).toBeLessThan(100);
  expect(lefts[100_000]).toBeCloseTo(900, 3);
  expect(lefts[50_001] - lefts[50_000]).toBeGreaterThan(7.9);
  expect(tileAt(lefts, (lefts[50_000] + lefts[50_001]) / 2)).toBe(50_000);
  expect(lefts.every((x, i) => i === 0 || x >= lefts[i - 1])).toBe(true);
});

test("tiles have addresses, labels and bytes", () => {
  const pages = strip([10, 20]);
  expect(addressOf(pages, 1)).toBe("row_groups/0/columns/1/pages/1");
  expect(labelOf(pages, 1)).toBe("page 1");
  expect(bytesOf(pages, 0)).toEqual([0, 10]);
  expect(bytesOf(pages, 1)).toEqual([10, 30]);
  const named = strip([4], { template: "", labels: ["magic"], addresses: ["magic"] });
  expect([addressOf(named, 0), labelOf(named, 0)]).toEqual(["magic", "magic"]);
});

test("an empty strip has no edges to divide by", () => {
  expect([...edges(strip([]), 100)]).toEqual([0]);
});
