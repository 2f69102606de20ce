/** A name that keeps its end where it is too long: the parents of a column are muted and give way first. */

import { h } from "./dom";

/** At most this many characters of a name stay whole at its end. */
const END = 9;
const SHORT = 16;

/** Letters that are written from right to left: parts of such a name would stand in the wrong order. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * The parts of a name: what is muted, what gives way after that, and the end, which stays. `path` is what stands between
 * the parts of a path: a dot in that of a column, a slash in that of a file; "" where the name is no path.
 */
export function nameParts(name: string, path: "." | "/" | ""): [string, string, string] {
  if (RIGHT_TO_LEFT.test(name)) return ["", name, ""];
  const dot = path ? name.lastIndexOf(path, name.length - 2) : -1;
  const leaf = [...name.slice(dot + 1)];
  const kept = leaf.length > SHORT ? END : dot < 0 ? 0 : leaf.length;
  const cut = leaf.length - kept;
  return [name.slice(0, dot + 1), leaf.slice(0, cut).join(""), leaf.slice(cut).join("")];
}

/** Characters of a path that a list shows: with all of them its neighbours would have no room. */
const LONG = 60;
const BEGINNING = 20;

/** A dotted name of many levels: its beginning and its leaf. */
export function shortPath(name: string): string {
  const dot = name.lastIndexOf(".", name.length - 2);
  return name.length <= LONG || dot <= BEGINNING ? name : `${name.slice(0, BEGINNING)}…${name.slice(dot)}`;
}

/** "page 1: data, RLE_DICTIONARY, 20,000 values": its number, what is between, and how many. */
const PAGE = /^(page [\d,]+): (.+), ([\d,]+ \p{L}+)$/u;

/** The whole name of a node that `nodeName` shows: in its words, for who hears it or speaks it. */
export function spokenName({ label }: { label: string }): string {
  const page = PAGE.exec(label);
  return page && !RIGHT_TO_LEFT.test(label) ? `${page[1]} · ${page[3]} · ${page[2]}` : label;
}

/**
 * What a list calls a node. Columns and fields keep the end of their name, other labels their beginning; a page says how
 * many values it has before the rest is cut.
 */
export function nodeName({ kind, label }: { kind: string; label: string }): HTMLElement {
  const page = PAGE.exec(label);
  if (page && !RIGHT_TO_LEFT.test(label))
    return h(
      "span",
      { class: "pqx-label pqx-path" },
      h("span", { class: "pqx-end" }, `${page[1]} · ${page[3]}`),
      h("span", { class: "pqx-start pqx-muted" }, ` · ${page[2]}`),
    );
  const named = kind === "column_chunk" || kind === "schema_field";
  return named
    ? pathName(kind === "column_chunk" ? shortPath(label) : label, kind === "column_chunk" ? "." : "")
    : h("span", { class: "pqx-label" }, label);
}

export function pathName(name: string, path: "." | "/" | ""): HTMLElement {
  const [parents, start, end] = nameParts(name, path);
  if (!end) return h("span", { class: "pqx-label" }, name);
  return h(
    "span",
    { class: `pqx-label pqx-path${parents ? " pqx-has-parents" : ""}` },
    parents && h("span", { class: "pqx-parents" }, parents),
    start && h("span", { class: "pqx-start" }, start),
    h("span", { class: "pqx-end" }, end),
  );
}
