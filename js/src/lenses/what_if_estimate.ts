/** The new file at once, before Python has tried it: what each change alone is known to do, put together. */

import { size } from "../text";
import type { Bytes, Change, Chosen, Whole } from "../wire/what_if";

/** Row groups up to which each has tiles of its own. */
const GROUPS = 200;

/** Whether a change is among what is chosen. */
export function isChosen({ sort, types }: Change, chosen: Chosen): boolean {
  if (sort.length) return same(sort, chosen.sort);
  return types.length > 0 && types.every((pair) => chosen.types.some((one) => same(one, pair)));
}

/** What is chosen with a change in it, or without. There is one order of the rows, and one type of a column. */
export function toggled({ sort, types }: Change, chosen: Chosen, on: boolean): Chosen {
  if (sort.length) return { ...chosen, sort: on ? sort : [] };
  const others = chosen.types.filter(([column]) => !types.some(([mine]) => mine === column));
  return { ...chosen, types: on ? [...others, ...types] : others };
}

/** The bytes of the new file by what the changes do one by one; null if nothing was predicted of the first choice. */
export function estimated({ predicted, changes, names }: Whole, chosen: Chosen, rows: number): Bytes | null {
  const first = predicted.layout;
  if (!first) return null;
  const share = names.map(() => 1);
  for (const one of changes) {
    if (!isChosen(one, chosen) || !one.without) continue;
    const part = one.bytes / one.without;
    const at = one.sort.length ? -1 : names.indexOf(one.column);
    for (const column of at < 0 ? (one.sort.length ? share.keys() : []) : [at]) share[column] *= part;
  }
  const scaled = first.groups.map((columns) =>
    columns.map((bytes, i) => Math.round(bytes * (share[i] ?? 1))),
  );
  const total = (at: number) => scaled.reduce((sum, columns) => sum + columns[at], 0);
  let [groups, count] = [scaled, first.row_groups];
  if (chosen.row_group_rows !== predicted.chosen.row_group_rows && scaled.length) {
    count = Math.max(1, Math.ceil(rows / chosen.row_group_rows));
    const shown = count > GROUPS ? 1 : count;
    groups = Array.from({ length: shown }, () => scaled[0].map((_, at) => Math.round(total(at) / shown)));
  }
  const bytes = groups.flat().reduce((sum, one) => sum + one, 0);
  return { ...first, groups, row_groups: count, size: bytes + first.rest };
}

/** The sentence of an estimate. */
export function estimateText({ size: bytes }: Bytes, today: number): string {
  const share = today ? `, ${Math.round((bytes / today) * 100)} % of the ${size(today)} today` : "";
  return `The new file has about ${size(bytes)}${share}, by what each change does alone.`;
}

function same(one: string[], two: string[]): boolean {
  return one.length === two.length && one.every((text, i) => text === two[i]);
}
