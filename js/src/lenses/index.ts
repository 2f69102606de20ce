/** The lenses: what Python's `show` gave (pqexplore/widget/lenses/NAME.py), as elements. One line registers one. */

import type { Context, Detail } from "../context";
import { facts } from "./facts";
import { page } from "./page";
import { rows } from "./rows";

export interface Shown {
  /** The same lens for another node of the same thing: true where it could follow without a new mount. */
  follow?(detail: Detail, payload: never): boolean;
  dispose(): void;
}

export interface Lens {
  mount(el: HTMLElement, payload: never, ctx: Context, detail: Detail): Shown;
}

export const LENSES: Record<string, Lens> = { rows, page, facts };
