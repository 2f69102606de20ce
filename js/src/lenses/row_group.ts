/** A row group beside the others, and its columns by size. */

import "./board.css";
import { append, h } from "../dom";
import { count, plural, size } from "../text";
import type { Part, Picture } from "../wire/row_group";
import { Board } from "./board";
import { GroupsPainting } from "./column_groups";
import { DifferencesView } from "./group_differences";
import type { Lens, Shown } from "./lens";
import { ranking } from "./ranking";

export const rowGroup: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    const { first, mine, compressed, rows, parts } = picture;
    const none = new Float32Array(compressed.length).fill(-1);
    const lanes = { ...picture, low: none, high: none, state: none, nulls: none };
    const each = (i: number) => (rows[i] > 0 ? `, ${perRow(compressed[i] / rows[i])} a row` : "");
    const text = (i: number) =>
      compressed[i] < 0 ? "it cannot be read" : `${plural(rows[i], "row")}${each(i)}`;
    const shape = {
      first,
      count: compressed.length,
      mine,
      axis: null,
      nullable: false,
      addressOf: (group: number) => `row_groups/${group}`,
    };
    const board =
      picture.total > 1 ? new Board(ctx, new GroupsPainting(shape, { ...lanes, text }, ctx)) : null;
    const cut = compressed.length < picture.total;
    const bar = (one: Part) => ({
      label: one.name,
      address: one.address,
      bytes: one.compressed,
      figures: size(one.compressed),
      note: `${perRow(one.each)} a row${one.usual === null ? "" : `, elsewhere ${perRow(one.usual)}`}`,
      span: one.start < 0 ? null : { start: one.start, end: one.end, space: "file" },
      trouble: "",
    });
    const left = picture.columns - parts.length;
    const apart = picture.differences && new DifferencesView(ctx, picture.differences);
    append(el, [
      board?.el,
      cut &&
        h(
          "p",
          { class: "pqx-muted" },
          `Row groups ${count(first)} to ${count(first + compressed.length - 1)} of ${count(picture.total)}.`,
        ),
      ranking(ctx, "Its columns by size", parts.map(bar), left ? plural(left, "smaller column") : ""),
      apart?.el,
    ]);
    return {
      dispose: () => {
        board?.dispose();
        apart?.dispose();
      },
    };
  },
};

/** Bytes of a row: 12 B, 1.4 B. */
export function perRow(bytes: number): string {
  return bytes >= 9.95 ? size(bytes) : `${bytes.toPrecision(2)} B`;
}
