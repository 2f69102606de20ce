/** The bytes of the file as an icicle, its largest columns, its features and its codecs. */

import "./overview.css";
import type { Context } from "../context";
import { append, h, said } from "../dom";
import { fold } from "../fold";
import { pathName } from "../pathname";
import { count, plural, size } from "../text";
import type { Feature } from "../wire/features";
import type { LargeColumn, Picture } from "../wire/overview";
import { Board } from "./board";
import { cards, renewed } from "./cards";
import { IciclePainting } from "./icicle";
import type { Lens, Shown } from "./lens";

export const overview: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    const board = new Board(ctx, new IciclePainting(picture.tiles, ctx.select));
    const max = Math.max(1, ...picture.largest.map((one) => Math.max(one.compressed, one.uncompressed)));
    let shown = cards(ctx, picture.cards);
    append(el, [
      shown,
      board.el,
      h(
        "div",
        { class: "pqx-overview" },
        picture.largest.length > 0 &&
          section(
            picture.largest.length > 4
              ? `The ${plural(picture.largest.length, "largest column")}`
              : "The columns, by size",
            h("ol", {}, ...picture.largest.map((one) => columnBar(ctx, one, max))),
            h(
              "p",
              { class: "pqx-muted pqx-overview-key" },
              h("i", {}),
              picture.largest[0].share === null ? "in the files" : "in the file",
              h("i", { class: "pqx-loose" }),
              "before compression",
            ),
          ),
        h(
          "div",
          {},
          fold("features", "Features", has(picture), featureList(picture)),
          picture.packing.length > 0 &&
            fold("packing", "Encodings and compression", codecs(picture), packing(picture)),
        ),
      ),
    ]);
    return {
      follow(detail, next: Picture | null): boolean {
        if (detail.address || !next) return false;
        shown = renewed(shown, cards(ctx, next.cards)); // a look at more bytes changes nothing else
        return true;
      },
      dispose: () => board.dispose(),
    };
  },
};

function section(title: string, ...content: HTMLElement[]): HTMLElement {
  return h("div", { role: "group", "aria-label": title }, h("h2", {}, title), ...content);
}

/** A column as two bars on one scale: its bytes in the file, and before compression. */
function columnBar(ctx: Context, one: LargeColumn, max: number): HTMLElement {
  const part = (bytes: number) => `${((bytes / max) * 100).toFixed(2)}%`;
  const ratio = one.ratio === null ? "" : `, ${one.ratio.toFixed(one.ratio < 9.95 ? 1 : 0)} ×`;
  return h(
    "li",
    { "data-compressed": one.compressed, "data-uncompressed": one.uncompressed },
    h(
      "span",
      { class: "pqx-overview-column" },
      h(
        "button",
        { class: "pqx-link", title: one.name, onclick: () => ctx.select(one.address) },
        pathName(one.name, "."),
      ),
      h("small", { class: "pqx-muted" }, ` ${one.type}`),
    ),
    h(
      "span",
      { class: "pqx-overview-figures" },
      size(one.compressed) + (one.share === null ? "" : `, ${(one.share * 100).toFixed(1)} %`),
      h("small", { class: "pqx-muted" }, ` ${one.codecs.join(", ")}${ratio}`),
    ),
    h(
      "span",
      { class: "pqx-overview-bar", "aria-hidden": "true" },
      h("i", { class: "pqx-loose", style: `width: ${part(one.uncompressed)}` }),
      h("i", { style: `width: ${part(one.compressed)}` }),
    ),
  );
}

const SIGNS: Record<string, string> = { all: "✓", some: "◐", none: "✗", unknown: "?" };

/** A file that is not encrypted lacks nothing, and most files are not. */
function features(picture: Picture): Feature[] {
  return picture.features.filter((one) => one.name !== "encryption" || one.state !== "none");
}

/** How many features are in each state: "✓ 4 ◐ 2 ✗ 1". */
function has(picture: Picture): string {
  const shown = features(picture);
  return Object.entries(SIGNS)
    .map(([state, sign]) => [sign, shown.filter((one) => one.state === state).length] as const)
    .filter(([, n]) => n)
    .map(([sign, n]) => `${sign} ${n}`)
    .join("  ");
}

/** The codecs of most bytes. */
function codecs({ packing }: Picture): string {
  const named = packing.slice(0, 3).map((one) => one.codec);
  return named.join(", ") + (packing.length > named.length ? ", …" : "");
}

function featureList(picture: Picture): HTMLElement {
  const ordered = features(picture).sort((a, b) => rank(a.state) - rank(b.state));
  return h(
    "ul",
    {},
    ...ordered.map((one) =>
      h(
        "li",
        { class: `pqx-overview-${one.state}`, "data-feature": one.name, "data-state": one.state },
        h("span", { class: "pqx-overview-sign", "aria-hidden": "true" }, SIGNS[one.state] ?? "?"),
        h(
          "span",
          {},
          h("strong", {}, one.state === "none" ? `no ${one.name}` : one.name),
          one.state === "some" && ` in ${count(one.count)} of ${count(one.of)} ${one.unit}`,
          h("span", { class: "pqx-muted" }, ...said(`: ${one.meaning}`)),
        ),
      ),
    ),
  );
}

function rank(state: string): number {
  return ["all", "some", "none", "unknown"].indexOf(state);
}

function packing(picture: Picture): HTMLElement {
  return h(
    "ul",
    {},
    ...picture.packing.map((one) =>
      h(
        "li",
        { "data-codec": one.codec },
        h("strong", {}, one.codec),
        `: ${size(one.uncompressed)} became ${size(one.compressed)}`,
        one.ratio !== null && one.codec !== "UNCOMPRESSED" && ` (${one.ratio.toFixed(2)} ×)`,
        h("span", { class: "pqx-muted" }, `, ${plural(one.columns, "column")}`),
      ),
    ),
    ...picture.encodings.map((one) =>
      h(
        "li",
        { "data-encoding": one.name },
        h("strong", {}, one.name),
        `: ${plural(one.pages, one.unit === "page" ? "data page" : one.unit)}`,
        h("span", { class: "pqx-muted" }, `, ${plural(one.columns, "column")}`),
      ),
    ),
  );
}
