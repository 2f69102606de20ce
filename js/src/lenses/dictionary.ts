/** A dictionary: what it saves, the pages that use it, and its entries by use. */

import { ACCENTS, CLASSES } from "../accents";
import type { Context, Span } from "../context";
import { append, h } from "../dom";
import { roveRows } from "../rove";
import { count, plural, size } from "../text";
import type { Picture } from "../wire/dictionary";
import "./dictionary.css";
import type { Lens, Shown } from "./lens";
import { Strip, type Style } from "./strip";

export const dictionary: Lens = {
  mount: (el, picture, ctx) => new DictionaryView(el, picture, ctx),
};

const INDEXED: Style = { colour: ACCENTS.dictionary, shape: "hatched" };
const OTHERS: Style[] = [
  { colour: ACCENTS.amount, shape: "full" },
  { colour: CLASSES[4], shape: "dotted" },
  { colour: CLASSES[5], shape: "full" },
];

class DictionaryView implements Shown {
  #strip: Strip | null = null;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    append(el, [
      h(
        "div",
        { class: "pqx-dictionary" },
        balance(picture),
        this.#pages(picture, ctx),
        entries(picture, ctx),
      ),
    ]);
  }

  dispose(): void {
    this.#strip?.dispose();
  }

  #pages(picture: Picture, ctx: Context): HTMLElement | null {
    const { pages } = picture;
    if (!pages.start.length) return null;
    let others = 0;
    const styles = pages.indexed.map((indexed) => (indexed ? INDEXED : OTHERS[others++ % OTHERS.length]));
    const cells = {
      start: pages.start,
      end: pages.end,
      kind: pages.encoding,
      step: pages.start.map((_, i) => i),
    };
    const at = (row: number) => pages.end.findIndex((end, i) => pages.start[i] <= row && row < end);
    const counts = pages.names
      .map((name, i) => plural(pages.encoding.filter((one) => one === i).length, `${name} page`))
      .join(", ");
    this.#strip = new Strip(cells, styles, {
      title: "pages",
      label: `Data pages by their rows and encodings: ${counts}`,
      choose: (row) => {
        const page = at(row);
        if (page >= 0) ctx.select(pages.address[page]);
      },
      point: (cell) => {
        const page = cell ? at(cell[0]) : -1;
        ctx.hot.emit(
          page < 0
            ? null
            : ({ start: pages.first_byte[page], end: pages.last_byte[page], space: "file" } as Span),
        );
      },
    });
    return h(
      "div",
      {},
      this.#strip.el,
      h(
        "ul",
        { class: "pqx-step-kinds" },
        ...pages.names.map((name, i) =>
          h(
            "li",
            { "data-encoding": name },
            h("i", {
              class: `pqx-step-swatch pqx-${styles[i].shape}`,
              style: `--pqx-tone: ${styles[i].colour}`,
              "aria-hidden": "true",
            }),
            plural(pages.encoding.filter((one) => one === i).length, `${name} page`),
          ),
        ),
        pages.total > pages.start.length &&
          h("li", { class: "pqx-muted" }, `the first ${count(pages.start.length)} of ${count(pages.total)}`),
      ),
    );
  }
}

/** With and without the dictionary, to one scale. */
function balance(picture: Picture): HTMLElement {
  const { dictionary_bytes, index_bytes, plain_bytes } = picture;
  const max = Math.max(dictionary_bytes + index_bytes, plain_bytes, 1);
  const bar = (name: string, bytes: number, kind: string) =>
    h("span", {
      class: `pqx-weight pqx-weight-${kind}`,
      style: `width: ${((bytes / max) * 100).toFixed(2)}%`,
      "data-bytes": bytes,
      title: `${name}: ${plural(bytes, "byte")}`,
    });
  const line = (name: string, text: string, ...bars: HTMLElement[]) =>
    h(
      "div",
      { class: "pqx-balance" },
      h("span", { class: "pqx-muted" }, name),
      h("span", { class: "pqx-scale-bar", "aria-hidden": "true" }, ...bars),
      h("span", {}, text),
    );
  return h(
    "div",
    {},
    line(
      "with it",
      `${size(dictionary_bytes)} dictionary + ${size(index_bytes)} indexes`,
      bar("dictionary", dictionary_bytes, "entries"),
      bar("indexes", index_bytes, "indexes"),
    ),
    line("without", `${size(plain_bytes)} in PLAIN`, bar("PLAIN", plain_bytes, "plain")),
  );
}

function entries(picture: Picture, ctx: Context): HTMLElement | null {
  const { top, values, rest } = picture;
  if (!top.length) return null;
  const maxUses = Math.max(1, top[0].uses);
  const head = h(
    "p",
    { class: "pqx-entry-head", "aria-hidden": "true" },
    h("span", {}, "entry"),
    h("span", {}, "value"),
    h("span", {}, ""),
    h("span", {}, "uses"),
  );
  const list = h(
    "ul",
    {
      class: "pqx-entries",
      "aria-label": "The most used entries",
      onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-entry"),
    },
    ...top.map((entry, i) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            class: "pqx-entry",
            tabindex: i ? -1 : 0,
            "data-entry": entry.index,
            "data-uses": entry.uses,
            onclick: () => ctx.select(entry.address),
          },
          h("span", { class: "pqx-mono pqx-muted" }, count(entry.index)),
          h("span", { class: "pqx-entry-value", title: entry.value }, entry.value || "(empty)"),
          h("span", {
            class: "pqx-entry-bar",
            style: `--share: ${((entry.uses / maxUses) * 100).toFixed(2)}%`,
            "aria-hidden": "true",
          }),
          h("span", { class: "pqx-mono" }, count(entry.uses), h("span", { class: "pqx-hidden" }, " uses")),
        ),
      ),
    ),
    picture.entries > top.length &&
      h(
        "li",
        { class: "pqx-muted" },
        `${plural(picture.entries - top.length, "other entry").replace(/entrys$/, "entries")} share ${plural(rest, "use")} of ${count(values)}`,
      ),
  );
  return h("div", { class: "pqx-entry-list" }, head, list);
}
