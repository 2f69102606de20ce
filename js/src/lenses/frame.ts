/** The frame around each lens's picture: the answer above, the table below, and buttons to copy both. */

import type { Context, Detail, Payload } from "../context";
import { copyButtons } from "../copy";
import { append, h, said } from "../dom";
import { SheetView } from "../sheet";
import { size } from "../text";
import { LENSES } from "./index";
import type { Lens, Shown } from "./lens";
import { soFar } from "./what_if_so_far";

export class Frame implements Shown {
  #lens: Lens;
  #picture: Shown | null = null;
  #sheet: SheetView | null = null;
  #plain: boolean;
  #ctx: Context;
  #answer: HTMLElement | null = null;
  #frame: HTMLElement | null = null;
  #stopFound = () => {};

  constructor(el: HTMLElement, ctx: Context, detail: Detail, lens = LENSES[detail.lens]) {
    this.#lens = lens;
    this.#ctx = ctx;
    const payload: Payload = detail.payload ?? {};
    this.#plain = !payload.answer && !payload.table;
    if (payload.ask) {
      const found = h("div", { class: "pqx-ask-found" });
      append(el, [question(ctx, payload.ask), found]);
      if (detail.lens === "what_if" && !ctx.query.saved) this.#stopFound = soFar(ctx, found);
      return;
    }
    const frame = h("div", {
      class: `pqx-lens${this.#lens.fills ? " pqx-fills" : ""}`,
      "data-lens": detail.lens,
    });
    this.#answer = answer(this.#lens, ctx, detail, payload);
    if (payload.answer) append(frame, [this.#answer]);
    if (payload.empty) append(frame, [h("p", { class: "pqx-empty" }, payload.empty)]);
    append(el, [frame]);
    this.#frame = frame;
    if (payload.picture) {
      const picture = h("div", { class: "pqx-picture" });
      append(frame, [picture]);
      this.#picture = this.#lens.mount(picture, payload.picture as never, ctx, detail);
      if (this.#picture.head) frame.prepend(this.#picture.head);
    }
    this.#showTable(detail, payload);
  }

  #showTable(detail: Detail, payload: Payload): void {
    this.#sheet?.dispose();
    this.#sheet?.el.remove();
    this.#sheet = null;
    if (!payload.table || this.#lens.fills || !this.#frame) return;
    const from = { address: detail.address, lens: detail.lens, ...this.#ctx.query.args(detail.lens) };
    this.#sheet = new SheetView(this.#ctx, payload.table, from);
    append(this.#frame, [this.#sheet.el]);
  }

  follow(detail: Detail): boolean {
    const payload: Payload = detail.payload ?? {};
    if (payload.ask || payload.empty || !this.#picture?.follow) return false;
    if (!this.#plain && payload.answer === undefined) return false;
    if (!this.#picture.follow(detail, payload.picture as never)) return false;
    const next = answer(this.#lens, this.#ctx, detail, payload);
    this.#answer?.replaceWith(next);
    this.#answer = next;
    if (this.#lens.refreshes) this.#showTable(detail, payload);
    return true;
  }

  dispose(): void {
    this.#stopFound();
    this.#picture?.dispose();
    this.#sheet?.dispose();
  }
}

/** Ask before a picture that takes long; a saved page cannot make it. */
function question(ctx: Context, { bytes, seconds }: NonNullable<Payload["ask"]>): HTMLElement {
  if (ctx.query.saved) {
    const why = seconds
      ? "This was not tried before the page was saved. To try it, open the file in a notebook."
      : "This needs values that the page does not have. To see it, open the file in a notebook.";
    return h("div", { class: "pqx-ask" }, h("p", {}, why));
  }
  const [why, what] = seconds
    ? [`To try every choice takes up to ${seconds} s. The file is not changed.`, "try"]
    : [`To show this, ${size(bytes)} have to be decoded.`, `decode ${size(bytes)}`];
  return h(
    "div",
    { class: "pqx-ask" },
    h("p", {}, why),
    h("button", { class: "pqx-button", onclick: () => ctx.insist() }, what),
  );
}

/** The sentence above the picture, and its buttons. */
function answer(lens: Lens, ctx: Context, detail: Detail, payload: Payload): HTMLElement {
  const text = payload.answer ?? "";
  const linked = payload.picture ? lens.sentence?.(text, payload.picture as never, ctx) : undefined;
  return h(
    "div",
    { class: "pqx-answer" },
    h("p", {}, ...(linked ?? said(text))),
    copyButtons(ctx, detail, payload),
  );
}
