/** A node of the outline: which of its children are known, which are open, and which node is in which row. */

import type { Brief } from "./context";

/** Children come this many at a time. */
export const PAGE = 200;

export class Branch {
  total = 0;
  /** Rows below this one that are shown. */
  rows = 0;
  open = false;
  pages = new Map<number, Branch[]>();
  /** Pages that have been requested. A second request for a page waits for the first. */
  asked = new Map<number, Promise<void>>();
  /** Children that are open, by ordinal. */
  opened: Branch[] = [];

  constructor(
    readonly brief: Brief,
    readonly parent: Branch | null,
    readonly ordinal: number,
    readonly depth: number,
  ) {}

  /** The `index`-th shown row below this one; null for a child that is not fetched yet. */
  at(index: number): { branch: Branch | null; parent: Branch; ordinal: number } {
    let next = 0;
    let rest = index;
    for (const child of this.opened) {
      const before = child.ordinal - next;
      if (rest < before) break;
      rest -= before;
      if (rest === 0) return { branch: child, parent: this, ordinal: child.ordinal };
      if (rest <= child.rows) return child.at(rest - 1);
      rest -= child.rows + 1;
      next = child.ordinal + 1;
    }
    const ordinal = next + rest;
    return { branch: this.child(ordinal), parent: this, ordinal };
  }

  child(ordinal: number): Branch | null {
    return this.pages.get(Math.floor(ordinal / PAGE))?.[ordinal % PAGE] ?? null;
  }

  /** Which shown row this is; the root is row 0. */
  row(): number {
    if (!this.parent) return 0;
    let row = this.parent.row() + 1 + this.ordinal;
    for (const sibling of this.parent.opened) if (sibling.ordinal < this.ordinal) row += sibling.rows;
    return row;
  }

  grow(rows: number): void {
    for (let branch: Branch | null = this; branch; branch = branch.parent) branch.rows += rows;
  }
}
