import { expect, test } from "vitest";
import { FAMILIES, type Family } from "./kinds";
import { contrast, paintRow, palette, SHADES } from "./paint";
import { channels, luminance } from "./theme";

const LIGHT = {
  dark: false,
  background: "#ffffff",
  ink: "#1b1f24",
  muted: "#777777",
  accent: "#0b64c0",
  font: "",
};
const DARK = {
  dark: true,
  background: "#212121",
  ink: "#ffffff",
  muted: "#999999",
  accent: "#42a5f5",
  font: "",
};

const steps = (n: number) =>
  [...Array(n).keys()].map(
    (i) => ({ name: "", letter: "", colour: "#808080", pattern: "solid", step: i / (n - 1) }) as Family,
  );

const unpacked = (colour: number) => `rgb(${colour & 255}, ${(colour >> 8) & 255}, ${(colour >> 16) & 255})`;

/** Each class of a palette: its fill, and the line around it or null. */
function classes(looks: Family[], theme: typeof LIGHT) {
  const { colours, plain } = palette(theme, 1, { looks });
  return plain.map((fill, i) => {
    const around = colours[i * SHADES + 4];
    return { fill, around: around ? unpacked(around) : null };
  });
}

test.each([
  ["light", LIGHT],
  ["dark", DARK],
])("on a %s page each class stands out by its colour, or by the line around it", (_, theme) => {
  for (const { fill, around } of [...classes(steps(8), theme), ...classes(FAMILIES, theme)])
    expect(contrast(around ?? fill, theme.background)).toBeGreaterThanOrEqual(3);
});

test.each([
  ["light", LIGHT, -1],
  ["dark", DARK, 1],
])("on a %s page more is farther from the page, step by step", (_, theme, sign) => {
  const lights = classes(steps(8), theme).map(({ fill }) => sign * luminance(fill));
  expect([...lights].sort((a, b) => a - b)).toEqual(lights);
});

test("the line is drawn around a pale tile and not around a dark one", () => {
  const look = palette(LIGHT, 1, { looks: steps(2) });
  const layout = {
    start: [0, 10],
    length: 2,
    size: 20,
    end: (i: number) => [10, 20][i],
    at: (b: number) => (b < 10 ? 0 : 1),
  };
  const pixels = new Uint32Array(20 * 6);
  const row = { x0: 0, x1: 20, y0: 0, y1: 6, byte: 0, perPixel: 1 };
  const by = { code: Uint8Array.of(0, 1), tint: new Uint8Array(2), loud: -1 };
  paintRow(pixels, 20, row, layout as never, by, look);
  const [pale, around, dark] = [look.colours[0], look.colours[4], look.colours[SHADES]];
  expect(look.colours[SHADES + 4]).toBe(0);
  for (const y of [0, 5]) expect([pixels[20 * y + 5], pixels[20 * y + 15]]).toEqual([around, dark]);
  expect([pixels[20 * 3 + 5], pixels[20 * 3 + 10], pixels[20 * 3 + 15]]).toEqual([pale, around, dark]);
  expect(channels(unpacked(pale))).not.toEqual(channels(unpacked(around)));
});
