import { expect, test } from "vitest";
import { abridge, abridgeMiddle, plural, size, visible } from "./text";

test.each([
  ["plain é 語", "plain é 語"],
  ["a\nb\u0000", "a␊b␀"],
  ["\u202eevil", "⟨U+202E⟩evil"],
  ["zero\u200bwidth", "zero⟨U+200B⟩width"],
  ["\u007f", "␡"],
  ["\u009b31m", "⟨U+009B⟩31m"],
  ["\u2066a\u2069\u061c", "⟨U+2066⟩a⟨U+2069⟩⟨U+061C⟩"],
  ["\ud800a", "⟨U+D800⟩a"],
  ["\u{e0041}", "⟨U+E0041⟩"],
  ["\u3164\u034f", "⟨U+3164⟩⟨U+034F⟩"],
  ["😀", "😀"],
])("visible(%j)", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.00 kB"],
  [999_499, "999 kB"],
  [999_500, "1.00 MB"],
  [12_345_678, "12.3 MB"],
])("size(%d) is %s", (bytes, shown) => {
  expect(size(bytes)).toBe(shown);
});

test("plural", () => {
  expect([plural(1, "row"), plural(2_000, "row")]).toEqual(["1 row", "2,000 rows"]);
});

test("a text is shortened to the width, or left out", () => {
  const measure = (t: string) => t.length;
  expect(abridge("column", 6, measure)).toBe("column");
  expect(abridge("column", 5, measure)).toBe("colu…");
  expect(abridge("column", 2, measure)).toBe("");
});

test("a name keeps its end, and no character is cut in two", () => {
  const measure = (t: string) => t.length;
  expect(abridgeMiddle("measured_at_1", 8, measure)).toBe("meas…t_1");
  for (let width = 4; width < 20; width++)
    for (const shorten of [abridge, abridgeMiddle])
      expect(shorten("😀".repeat(12), width, measure)).toMatch(/^(😀|…)*$/u);
});
