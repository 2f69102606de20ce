// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Soon, stateRest, work } from "./rest";

const root = document.createElement("div");
const busy = () => root.hasAttribute("data-busy");
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  stop = stateRest(root);
});

afterEach(() => {
  vi.runAllTimers();
  stop();
  vi.useRealTimers();
});

test("an explorer is busy until all work has ended, and what follows on it has begun", () => {
  const [one, other] = [work(), work()];
  expect(busy()).toBe(true);
  one();
  one(); // it has ended already
  vi.runAllTimers();
  expect(busy()).toBe(true);
  other();
  const next = work();
  vi.runAllTimers();
  expect(busy()).toBe(true);
  next();
  vi.runAllTimers();
  expect(busy()).toBe(false);
});

test("an explorer that begins while another one works is busy, too", () => {
  const end = work();
  const second = document.createElement("div");
  stateRest(second)();
  expect(second.hasAttribute("data-busy")).toBe(true);
  end();
});

test("one call waits for the next frame, and a later one replaces what waits for a time", () => {
  const calls: string[] = [];
  const [frame, timer, dropped] = [new Soon(), new Soon(), new Soon()];
  for (const name of ["first", "second"]) {
    frame.frame(() => calls.push(`frame ${name}`));
    timer.after(50, () => calls.push(`timer ${name}`));
  }
  dropped.after(10, () => calls.push("dropped"));
  dropped.drop();
  expect([frame.waits, timer.waits, dropped.waits, busy()]).toEqual([true, true, false, true]);
  vi.runAllTimers();
  expect(calls).toEqual(["frame first", "timer second"]);
  expect([frame.waits, timer.waits, busy()]).toEqual([false, false, false]);
});
