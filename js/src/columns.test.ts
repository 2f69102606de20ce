import { expect, test } from "vitest";
import { floorIndex, unpack } from "./columns";

const view = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer);

test("numbers and texts are unpacked unchanged", () => {
  const { numbers, texts } = unpack(
    [
      ["n", "u2"],
      ["t", "text?"],
    ],
    [view(1, 0, 2, 1), view(0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0), view(0xc3, 0xa9), view(0, 1)],
  );
  expect([...numbers.n]).toEqual([1, 258]);
  expect([texts.t.at(0), texts.t.at(1), texts.t.length]).toEqual(["é", null, 2]);
});

test("a buffer that begins at an odd byte is copied", () => {
  const whole = new Uint8Array(9);
  new DataView(whole.buffer).setFloat64(1, 42, true);
  const { numbers } = unpack([["a", "f8"]], [new DataView(whole.buffer, 1, 8)]);
  expect(numbers.a[0]).toBe(42);
});

test.each([
  [[4, 10, 20], 3, 0],
  [[4, 10, 20], 10, 1],
  [[4, 10, 20], 19, 1],
  [[4, 10, 20], 99, 2],
  [[4], 0, 0],
])("floorIndex(%j, %d) is %d", (sorted, x, index) => {
  expect(floorIndex(sorted, x)).toBe(index);
});
