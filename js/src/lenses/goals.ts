/** Ways from one lens into another: to a row, which is marked there, and to the life of a value. */

import type { Context } from "../context";
import type { Query } from "../query";

/** The row that the next view of the rows begins with, by the explorer. */
const goals = new WeakMap<Query, number>();

/** Show a row of the file, by its number, in the rows of the file or of a row group. */
export function showRow(ctx: Context, address: string, row: number): void {
  goals.set(ctx.query, row);
  ctx.prefer("rows");
  ctx.select(address);
}

/** The row to begin with; null for the first one. It is given once. */
export function takeGoal(ctx: Context): number | null {
  const row = goals.get(ctx.query) ?? null;
  goals.delete(ctx.query);
  return row;
}

/** Go to a value or level, and show its life whatever lens was chosen before. */
export function showLife(ctx: Context, address: string): void {
  ctx.prefer("value");
  ctx.select(address);
}
