/** The note beside the pointer on the map: the tile's name, place and length, and a sentence about its kind. */

import { fill, h } from "./dom";
import { severitySign } from "./flags";
import { sentence } from "./kinds";
import type { Layout } from "./layout";
import type { Query } from "./query";
import { UNREAD } from "./skipped";
import { count, plural, words } from "./text";
import type { Flag } from "./wire/headline";

const BESIDE = 14;
const BELOW = 20;

export class TileNote {
  #el = h("div", { class: "pqx-tip", hidden: true });
  #parent: HTMLElement;
  #columns: string[];
  #query: Query;

  constructor(parent: HTMLElement, columns: string[], query: Query) {
    this.#parent = parent;
    this.#query = query;
    query.changed.on(() => delete this.#el.dataset.address);
    this.#columns = columns;
  }

  /** Describe a tile, at a point of the window; an index below 0 hides the note. `says` is what its colour means. */
  show(layout: Layout | null, index: number, x: number, y: number, says = ""): void {
    this.#el.hidden = index < 0 || !layout;
    if (!layout || index < 0) return;
    const address = layout.address(index);
    const shown = `${address} ${says}`;
    if (this.#el.dataset.address !== shown) {
      this.#el.dataset.address = shown;
      const [start, end] = [layout.start[index], layout.end(index)];
      fill(
        this.#el,
        h("strong", {}, tileTitle(layout, index, this.#columns)),
        h("code", {}, address),
        h("span", {}, `${plural(end - start, "byte")}, ${count(start)} to ${count(end)}`),
        says && says !== UNREAD && h("span", { class: "pqx-tip-colour" }, says),
        h("span", { class: "pqx-muted" }, sentence(layout.kind(index))),
        flagNote(layout.flagOf(index)),
        skippedText(this.#query, layout, index),
      );
    }
    // the map cuts what is larger than its room, the explorer does not
    const host = this.#parent.closest(".pqx") ?? this.#parent;
    if (this.#el.parentElement !== host) host.append(this.#el);
    const box = host.getBoundingClientRect();
    const maxLeft = box.width - this.#el.offsetWidth - 4;
    this.#el.style.left = `${Math.max(4, Math.min(maxLeft, x - box.left + BESIDE))}px`;
    this.#el.style.top = `${y - box.top + BELOW}px`;
  }
}

/** The worst finding about a tile. */
function flagNote(flag: Flag | null): HTMLElement | null {
  return flag && h("span", {}, severitySign(flag.severity), ` ${flag.severity}: ${flag.sentence}`);
}

/** That the query does not read a tile, and why; null if it does, or there is none. */
function skippedText(query: Query, layout: Layout, index: number): HTMLElement | null {
  const { skips } = query;
  if (!skips || skips.reads(layout.start[index], layout.end(index))) return null;
  const [group] = layout.owner(index);
  const by = skips.by(group);
  const why = by ? `: row group ${group} is skipped by ${by}` : "";
  return h("span", { class: "pqx-skipped-note" }, `${UNREAD}${why}`);
}

/** The name of a tile: its kind, its column and its row group. */
function tileTitle(layout: Layout, index: number, columns: string[]): string {
  const [group, column] = layout.owner(index);
  const kind = words(layout.kind(index));
  if (group < 0) return kind;
  return `${kind} of ${columns[column] ?? `column ${column}`}, row group ${group}`;
}
