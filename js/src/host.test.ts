import { expect, test } from "vitest";
import { key, readSnapshot, snapshotModel } from "./host";
import { Rpc } from "./rpc";

const detail = { lenses: [{ name: "rows" }, { name: "facts" }], lens: "rows", payload: { count: 3 } };

function asked(op: string, args: Record<string, unknown>) {
  const replies = { [key("node", { address: "" })]: { ok: true, result: detail, buffers: [] } };
  const model = snapshotModel({ state: { selection: "", view: "" }, replies });
  return new Rpc(model).call<typeof detail & { trouble: unknown }>(op, args);
}

test("keys do not depend on the order of arguments", () => {
  expect(key("op", { b: 1, a: "é" })).toBe('op{"a":"é","b":1}');
  expect(key("op", { a: "é", b: 1 })).toBe(key("op", { b: 1, a: "é" }));
});

test("a saved request gets its reply", async () => {
  expect((await asked("node", { address: "" })).result.payload).toEqual({ count: 3 });
});

test("a saved node shows its facts too, and nothing that was not saved", async () => {
  expect((await asked("node", { address: "", view: "facts" })).result).toMatchObject({
    lens: "facts",
    payload: { picture: {} },
    trouble: null,
  });
  expect((await asked("node", { address: "", view: "page" })).result.lens).toBe("rows");
});

test("a lens that needs what the page does not have is no tab, but for the one that is open", async () => {
  const lenses = ["rows", "page", "nesting", "bloom", "facts"].map((name) => ({ name }));
  const answered = (lens: string, result: object, ok = true) => ({
    [key("lens", { address: "a", lens })]: { ok, result },
  });
  const replies = {
    [key("node", { address: "a" })]: {
      ok: true,
      result: { address: "a", lenses, lens: "rows", payload: {} },
    },
    ...answered("page", { answer: "one page" }),
    ...answered("nesting", { ask: { bytes: 5_000_000 } }),
    ...answered("bloom", {}, false),
  };
  const rpc = new Rpc(snapshotModel({ state: {}, replies }));
  const tabs = async (view?: string) => {
    const args = view ? { address: "a", view } : { address: "a" };
    return (await rpc.call<typeof detail>("node", args)).result.lenses.map(({ name }) => name);
  };
  expect(await tabs()).toEqual(["rows", "page", "facts"]);
  expect(await tabs("nesting")).toEqual(["rows", "page", "nesting", "facts"]);
  expect(await tabs()).toEqual(["rows", "page", "facts"]);
});

test("a request that was not saved rejects and says what to do", async () => {
  await expect(asked("node", { address: "footer" })).rejects.toThrow("Open the file in a notebook");
});

test("the answer to the saved condition is shown at other places, and no other condition's", async () => {
  const asks = { where: "x > 1", engine: "format" };
  const lenses = [{ name: "facts" }, { name: "query" }];
  const node = { lenses, lens: "facts", payload: null };
  const payload = { answer: "reads 1 of 4 row groups" };
  const replies = {
    [key("node", { address: "row_groups/1" })]: { ok: true, result: node },
    [key("lens", { address: "", lens: "query", ...asks })]: { ok: true, result: payload },
  };
  const rpc = new Rpc(snapshotModel({ state: { selection: "", view: "query", ...asks }, replies }));
  const at = { address: "row_groups/1", view: "query" };
  expect((await rpc.call<typeof detail>("node", { ...at, ...asks })).result.payload).toEqual(payload);
  const other = await rpc.call<typeof detail>("node", { ...at, where: "x > 2", engine: "format" });
  expect(other.result.payload).toBeNull();
});

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())));
}

/** A block of one reply with a buffer, as pqexplore/widget/reply_block.py writes it. */
function block(name: string, label: string): Promise<string> {
  const result = ["objects", ["label"], [["values", [label]]]];
  const buffers = ["lists", ["same", 1, 1], ["values", [0]]];
  const replies = ["objects", ["ok", "result", "buffers"], [["same", true, 1], result, buffers]];
  const lines = [
    ["values", [name]],
    [replies, ["values", [3]]],
  ];
  return packed(`${lines.map((line) => JSON.stringify(line)).join("\n")}\nabc`);
}

test("a snapshot's later blocks are unpacked only when a reply is not in the first", async () => {
  const [early, late] = [key("node", { address: "" }), key("node", { address: "späte" })];
  const text = `${JSON.stringify({ selection: "" })}\n${await block(early, "a\tb\nc")}`;
  const snapshot = await readSnapshot(text, await block(late, "later"));
  const rpc = new Rpc(snapshotModel(snapshot));
  expect(snapshot.state).toEqual({ selection: "" });
  expect((await rpc.call("node", { address: "" })).result).toEqual({ label: "a\tb\nc" });
  expect(Object.keys(snapshot.replies)).toEqual([early]);
  const { result, buffers } = await rpc.call("node", { address: "späte" });
  expect(result).toEqual({ label: "later" });
  expect(buffers.map((one) => new TextDecoder().decode(one))).toEqual(["abc"]);
  await expect(rpc.call("node", { address: "none" })).rejects.toThrow("larger budget");
});
