// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IDLE_SILENCE, lostBar, SILENCE } from "./lost";
import { Query } from "./query";
import { Rpc } from "./rpc";

let receive: (message: object, buffers: DataView[]) => void;
const sent: { id: number }[] = [];
const rpc = (more: object = {}) =>
  new Rpc({
    ...more,
    on: (_: string, listener: unknown) => {
      receive = listener as typeof receive;
    },
    off: () => {},
    send: (content: unknown) => void sent.push(content as { id: number }),
  });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a request without any answer shows the bar, and an answer hides it", async () => {
  const [asking, query] = [rpc(), new Query(null)];
  const { el } = lostBar(asking, query);
  const asked = asking.call("node");
  vi.advanceTimersByTime(SILENCE - 1);
  expect(el.hidden).toBe(true);
  vi.advanceTimersByTime(1);
  expect(el.hidden).toBe(false);
  expect(el.textContent).toContain("run the cell again");
  receive({ kind: "reply", id: sent.at(-1)?.id, ok: true, result: 1 }, []);
  await asked;
  expect(el.hidden).toBe(true);
});

test("long work that reports how much is done does not show it", () => {
  const asking = rpc();
  const { el } = lostBar(asking, new Query(null));
  void asking.call("layout");
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(SILENCE - 1);
    receive({ kind: "progress", id: sent.at(-1)?.id, done: i / 5 }, []);
  }
  expect(el.hidden).toBe(true);
});

test("neither another request nor an aborted one is an answer", async () => {
  const asking = rpc();
  const { el } = lostBar(asking, new Query(null));
  void asking.call("node");
  vi.advanceTimersByTime(SILENCE);
  const stop = new AbortController();
  const aborted = asking.call("lens", {}, stop.signal).catch(() => {});
  stop.abort();
  await aborted;
  expect(el.hidden).toBe(false);
});

test("nothing asked, nothing said", () => {
  const { el } = lostBar(rpc(), new Query(null));
  vi.advanceTimersByTime(10 * SILENCE);
  expect(el.hidden).toBe(true);
});

/** A kernel as JupyterLab's widget manager has it. */
class Jupyter {
  status = "idle";
  connectionStatus = "connected";
  #slots = new Set<() => void>();
  statusChanged = {
    connect: (slot: () => void) => this.#slots.add(slot),
    disconnect: (slot: () => void) => this.#slots.delete(slot),
  };

  is(status: string): void {
    this.status = status;
    for (const slot of this.#slots) slot();
  }

  get watched(): number {
    return this.#slots.size;
  }
}

function withKernel() {
  const kernel = new Jupyter();
  const asking = rpc({ widget_manager: { kernel } });
  return { kernel, asking, ...lostBar(asking, new Query(null)) };
}

test("a kernel that the front end calls dead or started anew is said at once, and only an answer takes it back", async () => {
  for (const status of ["dead", "autorestarting", "restarting", "terminating"]) {
    const { kernel, asking, el } = withKernel();
    kernel.is(status);
    expect(el.hidden).toBe(false);
    kernel.is("idle"); // of the new one, which knows nothing of the explorer
    expect(el.hidden).toBe(false);
    const asked = asking.call("node");
    receive({ kind: "reply", id: sent.at(-1)?.id, ok: true, result: 1 }, []);
    await asked;
    expect(el.hidden).toBe(true);
  }
});

test("a request that an idle kernel does not answer is lost within two seconds", () => {
  const { asking, el } = withKernel();
  void asking.call("node");
  expect(IDLE_SILENCE).toBeLessThan(2_000);
  vi.advanceTimersByTime(IDLE_SILENCE);
  expect(el.hidden).toBe(false);
});

test("a kernel at work is never lost, however long it is silent", () => {
  const { kernel, asking, el, dispose } = withKernel();
  kernel.is("busy"); // with another cell
  void asking.call("node");
  vi.advanceTimersByTime(20 * SILENCE);
  expect(el.hidden).toBe(true);
  kernel.is("idle");
  vi.advanceTimersByTime(IDLE_SILENCE - 1);
  expect(el.hidden).toBe(true);
  kernel.is("busy"); // it has got the request now
  vi.advanceTimersByTime(20 * SILENCE);
  expect(el.hidden).toBe(true);
  dispose();
  expect(kernel.watched).toBe(0);
});

test("a connection that is broken is given the time of one that nothing is known of", () => {
  const { kernel, asking, el } = withKernel();
  kernel.connectionStatus = "connecting";
  void asking.call("node");
  vi.advanceTimersByTime(SILENCE - 1);
  expect(el.hidden).toBe(true);
  vi.advanceTimersByTime(1);
  expect(el.hidden).toBe(false);
});
