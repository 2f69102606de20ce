import { expect, test } from "vitest";
import { HostModel } from "./host";
import { type FileError, Rpc } from "./rpc";

type Request = { id: number; op: string; args: Record<string, unknown> };

/** A model whose other end is a function; its result is the reply. */
function answering(answer: (request: Request, model: HostModel) => void): HostModel {
  const model: HostModel = new HostModel({}, { send: (request) => answer(request, model) });
  return model;
}

const buffer = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer);

test("a reply has its result and buffers", async () => {
  const model = answering(({ id, args }, m) =>
    m.emit("msg:custom", { kind: "reply", id, ok: true, result: args }, [buffer(7)]),
  );
  const { result, buffers } = await new Rpc(model).call("op", { x: 1 });
  expect(result).toEqual({ x: 1 });
  expect(buffers[0].getUint8(0)).toBe(7);
});

test("an error reply rejects with its kind and address", async () => {
  const error = { type: "CorruptFileError", message: "torn", address: "footer", offset: 4 };
  const model = answering(({ id }, m) => m.emit("msg:custom", { kind: "reply", id, ok: false, error }, []));
  const failure = (await new Rpc(model).call("op").catch((e) => e)) as FileError;
  expect([failure.message, failure.type, failure.address, failure.offset]).toEqual([
    "torn",
    "CorruptFileError",
    "footer",
    4,
  ]);
});

test("parts are joined into the buffers they were", async () => {
  const model = answering(({ id }, m) => {
    m.emit("msg:custom", { kind: "part", id }, [buffer(1, 2, 3)]);
    m.emit("msg:custom", { kind: "part", id }, [buffer(4)]);
    m.emit("msg:custom", { kind: "reply", id, ok: true, result: 0, parts: [1, 0, 3] }, []);
  });
  const { buffers } = await new Rpc(model).call("op");
  expect(buffers.map((b) => [...new Uint8Array(b.buffer, b.byteOffset, b.byteLength)])).toEqual([
    [1],
    [],
    [2, 3, 4],
  ]);
});

test("replies find their requests in any order", async () => {
  const waiting: Request[] = [];
  const model = answering((request) => waiting.push(request));
  const rpc = new Rpc(model);
  const calls = [rpc.call("a"), rpc.call("b")];
  for (const { id, op } of waiting.reverse())
    model.emit("msg:custom", { kind: "reply", id, ok: true, result: op }, []);
  expect((await Promise.all(calls)).map((reply) => reply.result)).toEqual(["a", "b"]);
});

test("an aborted request rejects, and its late reply is dropped", async () => {
  const waiting: Request[] = [];
  const model = answering((request) => waiting.push(request));
  const rpc = new Rpc(model);
  const counts: number[] = [];
  rpc.pending.on((n) => counts.push(n));
  const abort = new AbortController();
  const call = rpc.call("op", {}, abort.signal);
  abort.abort(new Error("moved on"));
  await expect(call).rejects.toThrow("moved on");
  model.emit("msg:custom", { kind: "reply", id: waiting[0].id, ok: true, result: 1 }, []);
  expect(counts).toEqual([1, 0]);
});

test("Python stops a request that was aborted before it said how far it is", () => {
  const sent: { kind: string; id: number }[] = [];
  const model = answering((message) => sent.push(message as never));
  const rpc = new Rpc(model);
  const abort = new AbortController();
  void rpc.call("op", {}, abort.signal).catch(() => {});
  void rpc.call("of another view").catch(() => {});
  abort.abort();
  for (const { id } of [...sent]) model.emit("msg:custom", { kind: "progress", id, done: 0.1 }, []);
  const [dropped, other] = sent.map(({ id }) => id);
  expect(sent.slice(2)).toEqual([
    { kind: "cancel", id: dropped },
    { kind: "continue", id: other },
  ]);
});

test("two explorers on one channel do not share ids", () => {
  const ids: number[] = [];
  const model = answering(({ id }) => ids.push(id));
  void new Rpc(model).call("op");
  void new Rpc(model).call("op");
  expect(new Set(ids).size).toBe(2);
});

test("idle waits for the request that follows a reply", async () => {
  const order: string[] = [];
  const model = answering(({ id, op }, m) => {
    setTimeout(() => {
      order.push(op);
      m.emit("msg:custom", { kind: "reply", id, ok: true, result: 0 }, []);
    }, 5);
  });
  const rpc = new Rpc(model);
  void rpc.call("first").then(() => rpc.call("second"));
  expect(await rpc.idle()).toBe(true);
  expect(order).toEqual(["first", "second"]);
});

test("a closed channel is idle and takes no requests", async () => {
  const rpc = new Rpc(answering(() => {}));
  void rpc.call("never answered").catch(() => {});
  const idle = rpc.idle();
  rpc.dispose();
  expect(await idle).toBe(false);
});

test("a request that cannot be sent stays open, as one that a kernel does not answer", async () => {
  const model = answering(() => {
    throw new Error("Cannot send");
  });
  const rpc = new Rpc(model);
  const late = new Promise((go) => setTimeout(() => go("no answer"), 20));
  expect(await Promise.race([rpc.call("op"), late])).toBe("no answer");
});
