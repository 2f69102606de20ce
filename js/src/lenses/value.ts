/** The life of a value: one block a stage, from the page's header down to the row, each with its bytes. */

import type { Context } from "../context";
import { append, type Child, h, said } from "../dom";
import { count, plural } from "../text";
import type { Link, Picture, Stage } from "../wire/value";
import { bytesLink, partView } from "./bits";
import { showRow } from "./goals";
import type { Lens, Shown } from "./lens";
import "./value.css";

export const value: Lens = {
  mount: (el, picture: Picture, ctx, detail) => new LifeView(el, picture, ctx, detail.address),
  sentence: (text, picture: Picture, ctx) => linked(ctx, text, [...picture.links]),
};

/** In pixels: the height of the bytes while they are closed. */
const CLOSED = 24;

/** The stages whose bits a person opened: they are open in the next value, too. */
const opened = new Set<string>();

class LifeView implements Shown {
  #ctx: Context;
  #folds: { kind: string; open: (open: boolean) => void }[] = [];

  constructor(el: HTMLElement, picture: Picture, ctx: Context, address: string) {
    this.#ctx = ctx;
    const save = () => {
      ctx.select(address); // of a pinned view
      ctx.commands.get("save")?.run();
    };
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
        { class: "pqx-bar pqx-life-bar", role: "group", "aria-label": "Entries beside this one" },
        beside("‹ before", "Entry before", picture.before),
        beside("after ›", "Entry after", picture.after),
        ctx.commands.get("save") &&
          h("button", { class: "pqx-button", title: picture.code, onclick: save }, "save as a page"),
      ),
      h(
        "ol",
        { class: "pqx-life", "aria-label": `Stages of a value of ${picture.column}` },
        ...picture.stages.map((stage, i) => this.#stage(stage, i)),
      ),
      h("p", { class: "pqx-muted" }, "A page of its own: ", h("code", {}, picture.code)),
    ]);
    this.#fit(el);
  }

  /** Show the bits of as many stages as there is room for, those of the encoding first. */
  #fit(el: HTMLElement): void {
    if (fits(el)) return;
    for (const { kind, open } of this.#folds) open(opened.has(kind));
    const rest = this.#folds.filter(({ kind }) => !opened.has(kind));
    rest.sort((a, b) => Number(b.kind === "encoding") - Number(a.kind === "encoding"));
    for (const { open } of rest) {
      open(true);
      if (!fits(el)) open(false);
    }
  }

  dispose(): void {
    this.#ctx.hot.emit(null);
  }

  /** The button that shows or hides the bits of a stage, which are shown at first. */
  #fold(kind: string, stage: number, bits: HTMLElement): HTMLElement {
    const fold = h(
      "button",
      {
        class: "pqx-link pqx-life-fold",
        "aria-label": `Bits of stage ${stage}`,
        onclick: () => {
          set(!!bits.hidden);
          if (bits.hidden) opened.delete(kind);
          else opened.add(kind);
        },
      },
      "bits",
    );
    const set = (open: boolean) => {
      bits.hidden = !open;
      fold.setAttribute("aria-expanded", String(open));
    };
    set(true);
    this.#folds.push({ kind, open: set });
    return fold;
  }

  #stage(stage: Stage, i: number): HTMLElement {
    const { address, span } = stage;
    const light = () => this.#ctx.hot.emit(span);
    const title = `${i + 1} ${stage.title}`;
    const links = [...stage.links];
    const bits = h(
      "div",
      { class: "pqx-life-bits" },
      ...stage.parts.map((part) => partView(this.#ctx, part, span?.space ?? "file")),
    );
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
        span && h("small", {}, bytesLink(this.#ctx, placeOf(stage), span)),
      ),
      h(
        "div",
        { class: "pqx-life-body" },
        h(
          "p",
          {},
          h("strong", { class: "pqx-life-gives" }, ...linked(this.#ctx, stage.gives, links)),
          ...stage.says.map((line) =>
            h("span", { class: "pqx-life-says" }, ...linked(this.#ctx, line, links)),
          ),
          stage.parts.length > 0 && this.#fold(stage.kind, i + 1, bits),
        ),
        stage.parts.length > 0 && bits,
      ),
    );
    for (const piece of item.querySelectorAll(`.pqx-piece[data-value="${stage.focus}"]`))
      piece.classList.add("pqx-near");
    return item;
  }
}

/** Whether all stages are seen at once in an explorer that is as high as it may be, while its bytes are closed. */
function fits(el: HTMLElement): boolean {
  const [root, panel] = [el.closest<HTMLElement>(".pqx"), el.closest<HTMLElement>(".pqx-panel")];
  const last = el.querySelector(".pqx-life")?.getBoundingClientRect();
  if (!root || !panel || !last) return true;
  const bytes = root.querySelector<HTMLElement>(":scope > .pqx-bytes")?.offsetHeight ?? 0;
  const most = Number.parseFloat(getComputedStyle(root).maxHeight) || root.clientHeight;
  const room = most - (root.offsetHeight - panel.offsetHeight) + Math.max(0, bytes - CLOSED);
  return last.bottom - panel.getBoundingClientRect().top + panel.scrollTop <= room;
}

/** A line with its links, which are taken from `links`. Those of other lines stay there. */
function linked(ctx: Context, line: string, links: Link[]): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const link of [...links]) {
    const start = within(line, link.text, at);
    if (start < 0) continue;
    links.splice(links.indexOf(link), 1);
    parts.push(...said(line.slice(at, start)), linkTo(ctx, link));
    at = start + link.text.length;
  }
  parts.push(...said(line.slice(at)));
  return parts;
}

function linkTo(ctx: Context, { text, address, lens, span, row }: Link): HTMLElement {
  if (span) return bytesLink(ctx, text, span);
  const go = () => {
    if (row !== null) showRow(ctx, address ?? "", row);
    else {
      if (lens) ctx.prefer(lens);
      ctx.select(address ?? "");
    }
  };
  return h(
    "button",
    { class: "pqx-link", title: `Go to ${address || "the file"}`, onclick: go },
    ...said(text),
  );
}

/** Where a text stands in a line from a place on, and not as a part of a longer word or number; -1 if it does not. */
export function within(line: string, text: string, from: number): number {
  for (let at = line.indexOf(text, from); at >= 0; at = line.indexOf(text, at + 1)) {
    const [before, after] = [line.slice(0, at), line.slice(at + text.length)];
    if (!/[\p{L}\d,.]$/u.test(before) && !/^([\p{L}\d]|[,.]\d)/u.test(after)) return at;
  }
  return -1;
}

/** Where the stage's bytes are: "2 bytes at 1,253, bits 0 to 9, decompressed". */
function placeOf({ span, bits }: Stage): string {
  if (!span) return "";
  const kind = span.space.split(":")[1];
  const parts = [`${plural(span.end - span.start, "byte")} at ${count(span.start)}`];
  const [first, last] = bits.split(" to ");
  if (bits) parts.push(first === last ? `bit ${first}` : `bits ${bits}`);
  if (kind) parts.push(`of the ${kind} page`);
  return parts.join(", ");
}
