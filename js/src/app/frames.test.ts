import { expect, test } from "vitest";
import { piece, unpack } from "./frames";

function packed(message: object, ...buffers: number[][]): ArrayBuffer {
  const text = new TextEncoder().encode(
    JSON.stringify({ ...message, buffers: buffers.map((one) => one.length) }),
  );
  const made = new Uint8Array([0, 0, 0, 0, ...text, ...buffers.flat()]);
  new DataView(made.buffer).setUint32(0, text.length, true);
  return made.buffer;
}

test("a message has its buffers as they were sent", () => {
  const { message, buffers } = unpack(packed({ kind: "custom", content: "é" }, [1, 2], [], [3]));
  expect(message.content).toBe("é");
  expect(buffers.map((one) => [...new Uint8Array(one.buffer, one.byteOffset, one.byteLength)])).toEqual([
    [1, 2],
    [],
    [3],
  ]);
});

test("a piece of a dropped file has the number of its request before it", () => {
  expect([...piece(258, new Uint8Array([7, 8]).buffer)]).toEqual([2, 1, 0, 0, 7, 8]);
});
