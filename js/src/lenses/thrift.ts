/** A Thrift struct: its bytes coloured by field, and the bits of one field. */

import type { Context, Detail } from "../context";
import { append, fill, h } from "../dom";
import { standsFor } from "../glow";
import { count } from "../text";
import type { Item, Picture } from "../wire/thrift";
import { partView } from "./bits";
import type { Lens, Shown } from "./lens";
import "./thrift.css";

export const thrift: Lens = {
  mount: (el, picture, ctx) => new StructView(el, picture, ctx),
};

const TONES = 4;
const hex = (bytes: number[]) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");

class StructView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #blocks: HTMLElement;
  #glass = h("div", { class: "pqx-glass", "data-field": "" });

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    const { head, items, span, stop, total } = picture;
    this.#blocks = h(
      "ul",
      {
        class: "pqx-struct",
        "aria-label": `Bytes of ${picture.name} by field. Arrows move, Enter goes to the field.`,
        onkeydown: (event: KeyboardEvent) => this.#key(event),
        onpointerleave: () => this.#point(null),
      },
      ...items.map((item, i) => this.#block(item, i)),
      stop &&
        h(
          "li",
          {
            class: "pqx-field pqx-stop",
            title: "The stop byte, which ends the struct",
            onpointerenter: () => ctx.hot.emit(stop),
          },
          h("small", {}, "stop"),
          h("code", {}, "00"),
        ),
      total > items.length && h("li", { class: "pqx-muted" }, `and ${count(total - items.length)} more`),
    );
    append(el, [
      h(
        "div",
        { class: "pqx-thrift", "data-struct": picture.struct },
        head.length > 0 &&
          h("div", { class: "pqx-glass" }, ...head.map((part) => partView(ctx, part, span.space))),
        items.length > 0 && this.#blocks,
        items.length > 0 && this.#glass,
      ),
    ]);
    this.#open(picture.selected ?? 0);
  }

  follow(_detail: Detail, next: Picture): boolean {
    if (next.struct !== this.#picture.struct) return false;
    this.#open(next.selected ?? 0);
    return true;
  }

  dispose(): void {}

  #block(item: Item, i: number): HTMLElement {
    const what = item.id === null ? item.name : `${item.id} ${item.name}`;
    return h(
      "li",
      {},
      h(
        "button",
        {
          class: `pqx-field pqx-bit-value${i % TONES}${item.unknown ? " pqx-unknown" : ""}`,
          tabindex: i ? -1 : 0,
          "data-field": item.name,
          "data-bytes": standsFor(item.span),
          "data-start": item.span.start,
          "data-end": item.span.end,
          title: item.meaning,
          onclick: () => this.#ctx.select(item.address),
          onfocus: () => this.#open(i),
          onpointerenter: () => this.#point(item),
        },
        h("small", {}, what, item.unknown && " (not defined)"),
        h(
          "code",
          {},
          h("b", {}, hex(item.header)),
          item.body.length > 0 && ` ${hex(item.body)}`,
          item.rest > 0 && h("span", { class: "pqx-muted" }, ` +${count(item.rest)}`),
        ),
      ),
    );
  }

  #point(item: Item | null): void {
    this.#ctx.hot.emit(item?.span ?? null);
  }

  /** Show the bits of one field. */
  #open(at: number): void {
    const item = this.#picture.items[at];
    if (!item) return;
    const buttons = [...this.#blocks.querySelectorAll<HTMLElement>(".pqx-field[data-field]")];
    buttons.forEach((button, i) => {
      button.setAttribute("tabindex", i === at ? "0" : "-1");
      if (i === at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    this.#glass.dataset.field = item.name;
    this.#point(item);
    fill(
      this.#glass,
      h(
        "p",
        { class: "pqx-step-title" },
        h("strong", {}, item.name),
        item.value && ` = ${item.value}`,
        h(
          "small",
          { class: "pqx-muted" },
          ` ${[item.id !== null && `field ${item.id}`, item.type, item.meaning, item.note].filter(Boolean).join(" · ")}`,
        ),
        item.opens &&
          h("button", { class: "pqx-link", onclick: () => this.#ctx.select(item.address) }, " open it"),
      ),
      ...item.parts.map((part) => partView(this.#ctx, part, this.#picture.span.space)),
    );
  }

  #key(event: KeyboardEvent): void {
    const buttons = [...this.#blocks.querySelectorAll<HTMLElement>(".pqx-field[data-field]")];
    const at = buttons.indexOf((event.target as Element).closest(".pqx-field") as HTMLElement);
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: buttons.length - 1,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[steps[event.key]]?.focus();
  }
}
