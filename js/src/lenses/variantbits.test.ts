import { expect, it } from "vitest";
import { bitGroups } from "./variantbits";

const field = (name: string, first: number, last: number, value: number) => ({
  name,
  first,
  last,
  value,
  meaning: "",
});

it("reads a header from its highest bit to its lowest, each field as wide as it is", () => {
  // an object, offsets of one byte, field ids of one byte: 0x02
  const groups = bitGroups([
    field("basic_type", 0, 1, 2),
    field("field_offset_size_minus_one", 2, 3, 0),
    field("field_id_size_minus_one", 4, 5, 0),
    field("is_large", 6, 6, 0),
    field("unused", 7, 7, 0),
  ]);
  expect(groups.map((g) => g.digits)).toEqual(["0", "0", "00", "00", "10"]);
  expect(groups.map((g) => g.digits).join("")).toBe((0x02).toString(2).padStart(8, "0"));
  expect(groups[4].name).toBe("basic_type");
});
