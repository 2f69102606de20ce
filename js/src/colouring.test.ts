import { expect, test } from "vitest";
import { colouringFrom, colouringOf } from "./colouring";
import { Layout } from "./layout";
import { paintRow, palette, SHADES } from "./paint";
import { Skips } from "./query";
import { luminance } from "./theme";

const view = (array: Uint8Array | Float32Array | Float64Array) => new DataView(array.buffer as ArrayBuffer);

/** A layout of tiles of 10 bytes: magic, pages of the given chunks, an offset index of the first, the footer. */
function layout(chunks: [group: number, column: number][], level: "chunks" | "pages" = "pages"): Layout {
  const length = chunks.length + 3;
  const bytes = (of: (i: number) => number) => view(Uint8Array.from({ length }, (_, i) => of(i)));
  const at = (i: number) => (i === chunks.length + 1 ? 0 : i - 1);
  const kind = (i: number) => (i === 0 ? 0 : i <= chunks.length ? 1 : i - chunks.length + 1);
  return new Layout({
    result: {
      level,
      size: 10 * length,
      columns: [
        ["start", "f8"],
        ["kind", "u1"],
        ["state", "u1"],
        ["flag", "u1"],
        ["severities", "u1"],
        ["template", "u1"],
        ["n0", "u1"],
        ["n1", "u1"],
      ],
      kinds: ["magic", "data_page", "offset_index", "footer"],
      templates: ["magic", "row_groups/#/columns/#/pages/0", "row_groups/#/columns/#/offset_index", "footer"],
      flags: [{ severity: "slow", sentence: "It is slow.", more: 0, stands_for: 1 }],
    },
    buffers: [
      view(Float64Array.from({ length }, (_, i) => 10 * i)),
      bytes(kind),
      bytes(() => 0),
      bytes((i) => (i === 1 ? 1 : 0)),
      bytes((i) => (i === 1 ? 4 : 0)),
      bytes(kind),
      bytes((i) => chunks[at(i)]?.[0] ?? 0),
      bytes((i) => chunks[at(i)]?.[1] ?? 0),
    ],
  });
}

const many = (n: number): [number, number][] => Array.from({ length: n }, (_, i) => [i, i]);

test("columns are ranked by their bytes; magic, indexes and footer have no column", () => {
  const made = colouringOf(
    "column",
    layout([
      [0, 0],
      [0, 1],
      [1, 0],
    ]),
    ["a", "b"],
    null,
  );
  expect([...made.code]).toEqual([0, 1, 2, 1, 0, 0]);
  expect(made.looks.map((look) => look.name)).toEqual(["other bytes", "a", "b"]);
});

test.each([
  [24, 25, "c23"],
  [25, 25, "other"],
])("%i columns have %i looks, the last is %s", (columns, looks, last) => {
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  const made = colouringOf("column", layout(many(columns)), names, null);
  expect([made.looks.length, made.looks.at(-1)?.name]).toEqual([looks, last]);
  expect(new Set(made.looks.map((look) => look.colour + look.pattern)).size).toBe(looks);
  expect(Math.max(...made.code)).toBe(looks - 1);
});

test("a few row groups have a colour each, many are steps of a scale", () => {
  const few = colouringOf("group", layout(many(8)), [], null);
  expect([few.ordered, few.looks[8].name]).toEqual([false, "row group 7"]);
  const made = colouringOf("group", layout(many(20)), [], null);
  expect([made.ordered, ...made.looks.map((look) => look.name)]).toEqual([
    true,
    "other bytes",
    "0–2",
    "3–5",
    "6–8",
    "9–11",
    "12–14",
    "15–17",
    "18–19",
  ]);
  expect([made.code[1], made.code[3], made.code[4], made.code[20]]).toEqual([1, 1, 2, 7]);
});

test("tiles have the class of their worst finding", () => {
  const made = colouringOf("findings", layout(many(2)), [], null);
  expect([...made.code]).toEqual([0, 1, 0, 0, 0]);
  expect(made.looks.map((look) => look.name)).toEqual(["no finding", "slow"]);
});

test("a query reads tiles or not; without a condition, the map says so", () => {
  const skips = new Skips([10], [20]);
  const made = colouringOf("skipped", layout(many(2)), [], skips);
  expect([...made.code]).toEqual([0, 1, 0, 0, 0]);
  expect([0, 1].map(made.says)).toEqual(["not read by the query", "read by the query"]);
  expect(colouringOf("skipped", layout(many(2)), [], null).looks[0].name).toBe("no condition is set");
});

function reply(code: number[], value: number[]) {
  return {
    result: {
      by: "nulls",
      title: "null share",
      unit: "%",
      ordered: true,
      classes: ["other bytes", "not known", "none", "all"],
      note: "",
      columns: [
        ["code", "u1"],
        ["value", "f4"],
      ] as [string, string][],
    },
    buffers: [view(Uint8Array.from(code)), view(Float32Array.from(value))],
  };
}

test("Python's answer says the value, or that it is not known", () => {
  const shown = layout(many(2));
  const made = colouringFrom(reply([0, 2, 1, 0, 0], [NaN, 0.25, NaN, NaN, NaN]), shown, shown);
  expect([0, 1, 2].map((tile) => made.says(tile))).toEqual([
    "null share: other bytes",
    "null share: 0.25 %",
    "null share: not known",
  ]);
});

test.each([
  [0, "0.00"],
  [0.004, "above 0.00"],
  [0.998, "below 1.00"],
  [1, "1.00"],
  [1.003, "above 1.00"],
  [33.34, "33.3"],
  [99.97, "below 100.0"],
])("%d is not rounded to nothing, one or all", (value, text) => {
  const shown = layout(many(1));
  const made = colouringFrom(reply([0, 2, 0, 0], [NaN, value, NaN, NaN]), shown, shown);
  expect(made.says(1)).toBe(`null share: ${text} %`);
});

test("an answer about column chunks colours their pages", () => {
  const coarse = layout([[0, 0]], "chunks");
  const pages = layout(many(1));
  const made = colouringFrom(reply([0, 3, 0, 0], [NaN, 100, NaN, NaN]), coarse, pages);
  expect([...made.code]).toEqual([0, 3, 0, 0]);
  expect(made.says(1)).toBe("null share: 100.0 %");
});

const THEMES = [true, false].map((dark) => ({
  dark,
  background: dark ? "#111111" : "#ffffff",
  ink: "#808080",
  muted: "#808080",
  accent: "#0000ff",
  font: "sans-serif",
}));

test("a scale goes from what is close to the page to what stands out, step by step", () => {
  const made = colouringOf("group", layout(many(20)), [], null);
  for (const theme of THEMES) {
    const lights = palette(theme, 1, made).plain.slice(1).map(luminance);
    const sorted = [...lights].sort((a, b) => (theme.dark ? a - b : b - a));
    expect(lights).toEqual(sorted);
    expect(new Set(lights).size).toBe(lights.length);
    // on a dark page the first step stands out
    if (theme.dark) expect((lights[0] + 0.05) / (luminance(theme.background) + 0.05)).toBeGreaterThan(2.9);
  }
});

test("one class alone keeps its colour and pattern, the others are pale", () => {
  const made = colouringOf("column", layout(many(9)), [], null);
  const [all, one] = [palette(THEMES[1], 1, made), palette(THEMES[1], 1, made, 8)];
  expect([one.plain[8], one.patterns[8]]).toEqual([all.plain[8], "rising"]);
  expect(one.patterns[9]).toBe("solid");
  expect(luminance(one.plain[9])).toBeGreaterThan(luminance(all.plain[9]));
});

test("what is loud shows in a pixel that many tiles share", () => {
  const shown = layout(many(9));
  const made = colouringOf("column", shown, [], null);
  const look = palette(THEMES[1], 1, made);
  const row = { x0: 0, x1: 1, y0: 0, y1: 1, byte: 0, perPixel: shown.size };
  const pixels = new Uint32Array(1);
  paintRow(pixels, 1, row, shown, { ...made, loud: 3 }, look);
  expect(pixels[0]).toBe(look.colours[3 * SHADES]);
  paintRow(pixels, 1, row, shown, made, look);
  expect([...look.colours]).not.toContain(pixels[0]);
});
