import { expect, test } from "vitest";
import { nameParts } from "./pathname";

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
