/**
 * Real sizes of other choices. For a column a matrix of encodings and codecs; for the file its columns today and in their
 * best choice, other changes, and the new file: its layout, its options as code, and a button that writes it.
 */

import "./board.css";
import "./what_if.css";
import type { Context } from "../context";
import { append, fill, h, said } from "../dom";
import { count, size } from "../text";
import type { Bytes, Change, Chosen, Picture, Predicted, Whole } from "../wire/what_if";
import { Board } from "./board";
import type { Lens, Shown } from "./lens";
import { Choosing, options, Writing } from "./what_if_choose";
import { ColumnsPainting } from "./what_if_columns";
import { estimated, estimateText } from "./what_if_estimate";
import { LayoutPainting } from "./what_if_layout";
import { MatrixPainting, ratio } from "./what_if_matrix";

class WholeView implements Shown {
  #ctx: Context;
  #whole: Whole;
  #columns: Board;
  #layout: Board | null = null;
  #strips = h("div", {});
  #codes = h("div", {});
  #choosing: Choosing;
  #savings = h("ul", { class: "pqx-whatif-savings" });
  #root: HTMLElement;
  #writing: Writing;

  constructor(el: HTMLElement, whole: Whole, ctx: Context) {
    this.#ctx = ctx;
    this.#whole = whole;
    this.#columns = new Board(ctx, new ColumnsPainting(whole, ctx), "frame: today, filled: the best choice");
    this.#choosing = new Choosing(
      ctx,
      whole,
      (predicted) => this.#show(predicted),
      (chosen) => this.#expect(chosen),
    );
    this.#writing = new Writing(ctx, whole, () => this.#choosing.chosen);
    const listed = whole.rows.length;
    this.#root = el;
    append(el, [
      h(
        "div",
        { class: "pqx-whatif" },
        this.#columns.el,
        listed < whole.columns &&
          h("p", { class: "pqx-muted" }, `The first ${count(listed)} of ${count(whole.columns)} columns.`),
        whole.changes.length > 0 && title("Other changes"),
        whole.changes.length > 0 && this.#savings,
        whole.no_changes &&
          h("p", { class: "pqx-muted" }, `Other changes are not known: ${whole.no_changes}`),
        title("The new file"),
        this.#strips,
        this.#choosing.el,
        this.#codes,
        this.#writing.el,
      ),
    ]);
    fill(this.#savings, ...whole.changes.map((one) => saving(one, this.#choosing)));
    this.#draw(whole.predicted.layout);
    fill(this.#codes, options(this.#ctx, whole.predicted.code));
  }

  dispose(): void {
    this.#columns.dispose();
    this.#layout?.dispose();
    this.#choosing.dispose();
    this.#writing.dispose();
  }

  /** Something was chosen: show at once what it will about be. */
  #expect(chosen: Chosen): void {
    const { today } = this.#whole;
    const about = estimated(this.#whole, chosen, this.#ctx.identity.rows ?? 0);
    if (!about) return;
    this.#draw(about);
    this.#say(estimateText(about, today.size));
  }

  #show(predicted: Predicted): void {
    this.#draw(predicted.layout);
    this.#say(predicted.sentence);
    fill(this.#codes, options(this.#ctx, predicted.code));
  }

  /** The sentence above the picture is about what is chosen, once something is. */
  #say(sentence: string): void {
    const head = this.#root.closest(".pqx-lens")?.querySelector(".pqx-answer > p");
    if (head) fill(head, ...said(sentence));
  }

  #draw(layout: Bytes | null): void {
    const { today, names, addresses } = this.#whole;
    this.#layout?.dispose();
    this.#layout = null;
    if (layout) {
      const painting = new LayoutPainting(today, layout, names, addresses, this.#ctx);
      this.#layout = new Board(this.#ctx, painting);
    }
    fill(this.#strips, this.#layout?.el ?? null);
  }
}

function title(text: string): HTMLElement {
  return h("h2", { class: "pqx-whatif-title" }, text);
}

/** A change, and a box that chooses it for the new file if it can be chosen here. */
function saving(one: Change, choosing: Choosing): HTMLElement {
  const name = h("strong", {}, `${one.kind}: ${one.choice}`);
  return h(
    "li",
    { "data-kind": one.kind },
    one.sort.length || one.types.length ? h("label", {}, choosing.box(one), " ", name) : name,
    one.column && h("span", { class: "pqx-muted" }, ` ${one.column}`),
    h(
      "span",
      {},
      ` ${size(one.without)} → ${one.error ? "~" : ""}${size(one.bytes)}, ${ratio(one.bytes, one.without)}${one.error && `, ${one.error}`}`,
    ),
    h("p", {}, ...said(one.sentence)),
  );
}

export const whatIf: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    if (picture.whole) return new WholeView(el, picture.whole, ctx);
    if (!picture.matrix) return { dispose: () => {} };
    const painting = new MatrixPainting(picture.matrix, ctx);
    const board = new Board(ctx, painting);
    append(el, [h("div", { class: "pqx-whatif" }, board.el, painting.legend())]);
    return { dispose: () => board.dispose() };
  },
};
