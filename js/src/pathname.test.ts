import { expect, test } from "vitest";
import { nameParts } from "./pathname";

test.each([
  ["payload.screen.width", true, ["payload.screen.", "", "width"]],
  ["a.a_very_long_leaf_name", true, ["a.", "a_very_long_", "leaf_name"]],
  ["measurement_of_sensor_17", false, ["", "measurement_of_", "sensor_17"]],
  ["id", true, ["", "id", ""]],
  ["a.b", false, ["", "a.b", ""]],
  // from right to left, two parts would stand in the wrong order
  ["שם_העמודה_הארוכה_מאוד", false, ["", "שם_העמודה_הארוכה_מאוד", ""]],
])("%s keeps its end", (name, dotted, parts) => {
  expect(nameParts(name, dotted).join("")).toBe(name);
  expect(nameParts(name, dotted)).toEqual(parts);
});
