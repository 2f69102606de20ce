// @vitest-environment jsdom
import { expect, test } from "vitest";
import type { Context } from "./context";
import { HexFind } from "./hexfind";
import type { Found } from "./wire/hexview";

const MB = 1 << 20;

/** A search of a file of `size` bytes, whose Python answers `replies` in turn. */
function finder(size: number, caret: number, replies: Partial<Found>[], kept?: Map<number, Uint8Array>) {
  const asked: number[] = [];
  const view = {
    space: "file",
    size,
    caret,
    go: (start: number) => {
      view.caret = start;
    },
    redraw: () => {},
    owner: async () => "",
    kept: async () => kept ?? new Map(),
  };
  const call = async (_: string, { start }: { start: number }) => {
    asked.push(start);
    const reply = replies.shift();
    if (!reply) throw new Error("Stopped.");
    return { result: { starts: [], lengths: reply.starts?.map(() => 1) ?? [], size, more: false, ...reply } };
  };
  const ctx = { rpc: { call }, query: { saved: !!kept }, announce: () => {} } as unknown as Context;
  const find = new HexFind(ctx, view);
  const button = (name: string) => find.el.querySelector(`[aria-label^="${name}"]`) as HTMLElement;
  const input = find.el.querySelector("input") as HTMLInputElement;
  const rest = () => new Promise((go) => setTimeout(go));
  const enter = async (text: string) => {
    input.value = text;
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    await rest();
  };
  const said = () => find.el.querySelector("[role=status]")?.textContent;
  const onwards = async () => {
    button("search on").click();
    await rest();
  };
  return { view, asked, enter, said, onwards, button, find };
}

test("a long file is searched from the caret on, then round its end up to there", async () => {
  const size = 200 * MB;
  const caret = 100 * MB;
  const { view, asked, enter, said, onwards, button } = finder(size, caret, [
    { starts: [], end: 164 * MB },
    { starts: [170 * MB], end: size },
    { starts: [5], end: 64 * MB },
    { starts: [90 * MB, 110 * MB], end: 128 * MB },
  ]);
  await enter("ff");
  expect(said()).toBe("no match, from byte 104,857,600 on in 67.1 MB");
  await onwards();
  expect(view.caret).toBe(170 * MB);
  expect(button("search on").hidden).toBe(false);
  await onwards();
  expect([view.caret, said()]).toEqual([5, "1 of 2, from byte 104,857,600 on and in the first 67.1 MB"]);
  await onwards();
  // what was found from the caret on is not found again
  expect([view.caret, said()]).toEqual([90 * MB, "2 of 3"]);
  expect(button("search on").hidden).toBe(true);
  expect(asked).toEqual([caret, 164 * MB, 0, 64 * MB]);
});

test("a search that was stopped can be asked for again", async () => {
  const { asked, enter, said, find } = finder(1000, 0, []);
  await enter("ff");
  expect(said()).toBe("Stopped.");
  await enter("ff");
  expect(asked).toEqual([0, 0]);
  expect(find.marks(0)).toBe(0);
});

test("a page without Python finds what lies across two of its pieces, once", async () => {
  const piece = (...bytes: number[]) => Uint8Array.from(bytes);
  const kept = new Map([
    [0, piece(1, 2, 3)],
    [3, piece(4, 1, 2)],
    [100, piece(3, 4)], // no neighbour of the piece before it
  ]);
  const { view, enter, said } = finder(200, 50, [], kept);
  await enter("03 04");
  expect([view.caret, said()]).toEqual([100, "2 of 2, in the 8 B that this page has"]);
  await enter("02 03 04 01");
  expect([view.caret, said()]).toEqual([1, "1 of 1, in the 8 B that this page has, round the end"]);
});
