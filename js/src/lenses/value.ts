/** The life of a value: one block a stage, from the page's header down to the row, each with its bytes. */

import type { Context } from "../context";
import { append, h } from "../dom";
import { count, plural } from "../text";
import type { Picture } from "../wire/value";
import type { Stage } from "../wire/value_bits";
import { partView } from "./bits";
import type { Lens, Shown } from "./lens";
import "./value.css";

export const value: Lens = {
  mount: (el, picture: Picture, ctx) => new LifeView(el, picture, ctx),
};

class LifeView implements Shown {
  #ctx: Context;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#ctx = ctx;
    const beside = (text: string, label: string, address: string | null) =>
      h(
        "button",
        {
          class: "pqx-button",
          "aria-label": label,
          disabled: address === null,
          onclick: () => address !== null && ctx.select(address),
        },
        text,
      );
    append(el, [
      h(
        "div",
        { class: "pqx-bar", role: "group", "aria-label": "Entries beside this one" },
        beside("‹ before", "Entry before", picture.before),
        beside("after ›", "Entry after", picture.after),
      ),
      h(
        "ol",
        { class: "pqx-life", "aria-label": `Stages of a value of ${picture.column}` },
        ...picture.stages.map((stage, i) => this.#stage(stage, i)),
      ),
      h("p", { class: "pqx-muted" }, "A page of its own: ", h("code", {}, picture.code)),
    ]);
  }

  dispose(): void {
    this.#ctx.hot.emit(null);
  }

  #stage(stage: Stage, i: number): HTMLElement {
    const { address, span } = stage;
    const light = () => this.#ctx.hot.emit(span);
    const title = `${i + 1} ${stage.title}`;
    const item = h(
      "li",
      {
        class: "pqx-life-stage",
        "data-stage": stage.kind,
        onpointerenter: light,
        onpointerleave: () => this.#ctx.hot.emit(null),
        onfocusin: light,
      },
      h(
        "div",
        { class: "pqx-life-name" },
        address === null
          ? h("strong", {}, title)
          : h("button", { class: "pqx-link", onclick: () => this.#ctx.select(address) }, title),
        span && h("small", { class: "pqx-muted" }, placeOf(stage)),
      ),
      h(
        "div",
        { class: "pqx-life-body" },
        h(
          "p",
          {},
          h("strong", { class: "pqx-life-gives" }, stage.gives),
          ...stage.says.map((line) => h("span", { class: "pqx-life-says" }, line)),
        ),
        ...stage.parts.map((part) => partView(this.#ctx, part, span?.space ?? "file")),
      ),
    );
    for (const piece of item.querySelectorAll(`.pqx-piece[data-value="${stage.focus}"]`))
      piece.classList.add("pqx-near");
    return item;
  }
}

/** Where the stage's bytes are: "2 bytes at 1,253, bits 0 to 9, decompressed". */
function placeOf({ span, bits }: Stage): string {
  if (!span) return "";
  const kind = span.space.split(":")[1];
  const parts = [`${plural(span.end - span.start, "byte")} at ${count(span.start)}`];
  if (bits) parts.push(`bits ${bits}`);
  if (kind) parts.push(`of the ${kind} page`);
  return parts.join(", ");
}
