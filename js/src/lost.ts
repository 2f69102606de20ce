/** A quiet bar where the kernel does not answer: what was drawn stays, and the bar says what to do. */

import { h } from "./dom";
import type { Query } from "./query";
import type { Rpc } from "./rpc";

/** Milliseconds without any message while a request is open. Long work reports how much is done four times a second. */
export const SILENCE = 10_000;
/** The same, where the front end says that the kernel has nothing to do: then it has not got the request. */
export const IDLE_SILENCE = 1_500;

/** What a notebook's reader can do. */
const CELL = "The kernel does not answer. If it is busy, wait; if not, run the cell again.";

export function lostBar(rpc: Rpc, query: Query, text = CELL): { el: HTMLElement; dispose(): void } {
  const el = h("p", { class: "pqx-lost", role: "status", hidden: true }, text);
  const { kernel } = rpc;
  let timer = 0;
  let open = 0;
  /** How long silence means something now; null if it means nothing, because the kernel is known to be at work. */
  const patience = () => {
    const state = kernel?.state() ?? "unknown";
    return state === "busy" ? null : state === "idle" ? IDLE_SILENCE : SILENCE;
  };
  const wait = (from: number) => {
    clearTimeout(from);
    const limit = open ? patience() : null;
    timer = limit === null ? 0 : window.setTimeout(() => query.lose(true), limit);
  };
  const stops = [
    query.lost.on((lost) => {
      el.hidden = !lost;
    }),
    rpc.pending.on((now) => {
      open = now;
      if (!timer || !open) wait(timer);
    }),
    rpc.heard.on(() => {
      query.lose(false);
      wait(timer);
    }),
    kernel?.on(() => {
      if (kernel.state() === "gone") query.lose(true);
      else wait(timer);
    }),
  ];
  const dispose = () => {
    clearTimeout(timer);
    for (const stop of stops) stop?.();
  };
  return { el, dispose };
}
