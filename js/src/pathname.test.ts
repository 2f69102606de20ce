import { expect, test } from "vitest";
import { nameParts, shortPath } from "./pathname";

test.each<[string, "." | "/" | "", string[]]>([
  ["payload.screen.width", ".", ["payload.screen.", "", "width"]],
  ["a.a_very_long_leaf_name", ".", ["a.", "a_very_long_", "leaf_name"]],
  ["measurement_of_sensor_17", "", ["", "measurement_of_", "sensor_17"]],
  ["id", ".", ["", "id", ""]],
  ["a.b", "", ["", "a.b", ""]],
  ["day=1/part-0.parquet", "/", ["day=1/", "", "part-0.parquet"]],
  ["day=1/part-00007-a1b2c3d4.c000.parquet", "/", ["day=1/", "part-00007-a1b2c3d4.c00", "0.parquet"]],
  // from right to left, two parts would stand in the wrong order
  ["שם_העמודה_הארוכה_מאוד", "", ["", "שם_העמודה_הארוכה_מאוד", ""]],
])("%s keeps its end", (name, path, parts) => {
  expect(nameParts(name, path).join("")).toBe(name);
  expect(nameParts(name, path)).toEqual(parts);
});

test("a path of many levels is its beginning and its leaf", () => {
  const deep = `${Array.from({ length: 99 }, (_, i) => `level_${i}`).join(".")}.the_leaf`;
  expect(shortPath(deep)).toBe("level_0.level_1.leve….the_leaf");
  expect(shortPath("payload.screen.width")).toBe("payload.screen.width");
  expect(shortPath("x".repeat(100))).toBe("x".repeat(100));
});
