/** A quiet bar where the kernel does not answer: what was drawn stays, and the bar says what to do. */

import { h } from "./dom";
import type { Query } from "./query";
import type { Rpc } from "./rpc";

/** Milliseconds without any message while a request is open. Long work reports how much is done four times a second. */
export const SILENCE = 10_000;

/** What a notebook's reader can do. */
const CELL = "The kernel does not answer. If it is busy, wait; if not, run the cell again.";

export function lostBar(rpc: Rpc, query: Query, text = CELL): { el: HTMLElement; dispose(): void } {
  const el = h("p", { class: "pqx-lost", role: "status", hidden: true }, text);
  let timer = 0;
  let open = 0;
  const wait = (from: number) => {
    clearTimeout(from);
    timer = open ? window.setTimeout(() => query.lose(true), SILENCE) : 0;
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
  ];
  const dispose = () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
  return { el, dispose };
}
