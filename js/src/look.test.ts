// @vitest-environment jsdom
import { expect, test } from "vitest";
import { HostModel } from "./host";
import { Look } from "./look";
import { Rpc } from "./rpc";

/** A look over a Python that has so many slices of work; what it was asked, and what was shown when. */
function looking(slices: number, findings: (slice: number) => number = () => 0) {
  const asked: string[] = [];
  const shown: boolean[] = [];
  let slice = 0;
  const model: HostModel = new HostModel(
    {},
    {
      send: (request: { id: number; op: string }) => {
        asked.push(request.op);
        const whole = request.op === "look" && ++slice >= slices;
        const result = { done: slice / slices, whole, ended: whole && slices > 1, findings: findings(slice) };
        queueMicrotask(() =>
          model.emit("msg:custom", { kind: "reply", id: request.id, ok: true, result }, []),
        );
      },
    },
  );
  const rpc = new Rpc(model);
  const root = document.createElement("div");
  const look = new Look(rpc, root, async (whole) => void shown.push(whole));
  return { asked, shown, rpc, root, look };
}

test("it asks for one slice after the other, and shows what is known at the end", async () => {
  const { asked, shown, root, look } = looking(3);
  expect(await look.go()).toBe(true);
  expect(asked).toEqual(["look", "look", "look"]);
  expect(shown).toEqual([true]);
  expect([root.dataset.look, look.el.hidden]).toEqual(["whole", true]);
});

test("a file that is looked at whole already is not shown again", async () => {
  const { shown, look } = looking(1);
  expect(await look.go()).toBe(true);
  expect(shown).toEqual([]);
});

test("what is found on the way is shown at once", async () => {
  const { shown, look } = looking(4, (slice) => (slice > 2 ? 1 : 0));
  await look.go();
  expect(shown).toEqual([false, true]);
});

test("who stops it ends it, and may let it go on", async () => {
  const { asked, root, look } = looking(50);
  const run = look.go();
  await new Promise((done) => setTimeout(done));
  look.stop();
  expect(await run).toBe(false);
  const before = asked.length;
  expect(before).toBeLessThan(50);
  expect(root.dataset.look).toBe("stopped");
  expect(await look.go()).toBe(true);
  expect(asked.length).toBe(50);
});

test("a request that somebody waits for goes first", async () => {
  const { asked, rpc, look } = looking(5);
  const run = look.go();
  const click = rpc.call("node");
  expect(asked).toEqual(["node"]);
  await click;
  await run;
  expect(asked.slice(1).every((op) => op === "look")).toBe(true);
});

test("its requests are not among those that are under way", async () => {
  const { rpc, look } = looking(3);
  const counts: number[] = [];
  rpc.pending.on((n) => counts.push(n));
  await look.go();
  expect(counts).toEqual([]);
});
