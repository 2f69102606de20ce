/** A dictionary: what it saves, the pages that use it, and its entries by use. */

import type { Context, Span } from "../context";
import { append, h } from "../dom";
import { count, plural, size } from "../text";
import "./dictionary.css";
import type { Lens, Shown } from "./index";
import { Strip, type Style } from "./strip";

interface Picture {
  chunk: string;
  dictionary: string;
  entries: number;
  values: number;
  dictionary_bytes: number;
  index_bytes: number;
  plain_bytes: number;
  other_bytes: number;
  unused: number;
  top: { index: number; value: string; uses: number; address: string }[];
  rest: number;
  pages: {
    names: string[];
    indexed: boolean[];
    encoding: number[];
    start: number[];
    end: number[];
    address: string[];
    spans: [number, number][];
    total: number;
  };
}

export const dictionary: Lens = {
  mount: (el, picture, ctx) => new DictionaryView(el, picture, ctx),
};

const INDEXED: Style = { colour: "#E69F00", shape: "hatched" };
const OTHERS: Style[] = [
  { colour: "#0072B2", shape: "full" },
  { colour: "#009E73", shape: "dotted" },
  { colour: "#CC79A7", shape: "full" },
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
    const told = pages.names
      .map((name, i) => plural(pages.encoding.filter((one) => one === i).length, `${name} page`))
      .join(", ");
    this.#strip = new Strip(cells, styles, {
      title: "pages",
      label: `Data pages by their rows and encodings: ${told}`,
      choose: (row) => {
        const page = at(row);
        if (page >= 0) ctx.select(pages.address[page]);
      },
      point: (cell) => {
        const page = cell ? at(cell[0]) : -1;
        ctx.hot.emit(page < 0 ? null : ([...pages.spans[page], "file"] as Span));
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
              class: `pqx-swatch pqx-${styles[i].shape}`,
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
  const most = Math.max(dictionary_bytes + index_bytes, plain_bytes, 1);
  const bar = (name: string, bytes: number, kind: string) =>
    h("span", {
      class: `pqx-weight pqx-weight-${kind}`,
      style: `width: ${((bytes / most) * 100).toFixed(2)}%`,
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
  const most = Math.max(1, top[0].uses);
  return h(
    "ul",
    { class: "pqx-entries", "aria-label": "The most used entries", onkeydown: rove },
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
            style: `--share: ${((entry.uses / most) * 100).toFixed(2)}%`,
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
}

/** Up and down move between entries; one of them is in the tab order. */
function rove(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const items = [...list.querySelectorAll<HTMLElement>(".pqx-entry")];
  const at = items.indexOf((event.target as Element).closest(".pqx-entry") as HTMLElement);
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: items.length - 1,
  };
  if (!(event.key in steps)) return;
  event.preventDefault();
  event.stopPropagation();
  const next = items[steps[event.key]];
  if (!next) return;
  items[at]?.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}
