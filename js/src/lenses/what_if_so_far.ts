/** While a file is tried: the columns that were tried until now, the largest saving first. */

import type { Context } from "../context";
import { fill, h } from "../dom";
import { count, size } from "../text";
import type { SoFar } from "../wire/what_if";
import { ratio } from "./what_if_matrix";

const LISTED = 12;

/** With each message about progress the list is asked for again. The function that is returned stops that. */
export function soFar(ctx: Context, el: HTMLElement): () => void {
  let asking = false;
  let done = false;
  const ask = async () => {
    if (asking || done) return;
    asking = true;
    try {
      const { result } = await ctx.rpc.call<SoFar>("what_if_so_far", {}, undefined, true);
      if (!done && result.rows.length) show(el, result);
    } catch {
      done = true; // the answer itself says what is wrong
    } finally {
      asking = false;
    }
  };
  const stop = ctx.rpc.progress.on(() => void ask());
  return () => {
    done = true;
    stop();
  };
}

function show(el: HTMLElement, { rows, columns }: SoFar): void {
  fill(
    el,
    h(
      "p",
      { class: "pqx-muted" },
      `${count(rows.length)} of ${count(columns)} columns tried, the largest saving first:`,
    ),
    h(
      "ol",
      { class: "pqx-whatif-sofar" },
      ...rows
        .slice(0, LISTED)
        .map((row) =>
          h(
            "li",
            {},
            h("strong", {}, row.column),
            ` ${size(row.today)} → ${row.error ? "~" : ""}${size(row.bytes)}, ${ratio(row.bytes, row.today)} `,
            h("span", { class: "pqx-muted" }, row.choice),
          ),
        ),
    ),
  );
}
