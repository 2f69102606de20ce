// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lostBar, SILENCE } from "./lost";
import { Query } from "./query";
import { Rpc } from "./rpc";

let receive: (message: object, buffers: DataView[]) => void;
const sent: { id: number }[] = [];
const rpc = () =>
  new Rpc({
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
