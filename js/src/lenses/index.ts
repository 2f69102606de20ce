/** The lenses: what Python's `show` gave (pqexplore/widget/lenses/NAME.py), as elements. One line registers one. */

import type { Context, Detail } from "../context";
import { bloom } from "./bloom";
import { compare } from "./compare";
import { dictionary } from "./dictionary";
import { encoding } from "./encoding";
import { encryption } from "./encryption";
import { facts } from "./facts";
import { geospatial } from "./geospatial";
import { layout } from "./layout";
import { nesting } from "./nesting";
import { overview } from "./overview";
import { page } from "./page";
import { pageIndex } from "./page_index";
import { rows } from "./rows";
import { schema } from "./schema";
import { statistics } from "./statistics";
import { thrift } from "./thrift";
import { variant } from "./variant";

export interface Shown {
  /** The same lens for another node of the same thing: true where it could follow without a new mount. */
  follow?(detail: Detail, picture: never): boolean;
  dispose(): void;
}

export interface Lens {
  /** Draw the picture of an answer. The sentence above and the table below it are the frame's. */
  mount(el: HTMLElement, picture: never, ctx: Context, detail: Detail): Shown;
  /** The lens is a table of its own that fills the pane; the frame shows none. */
  fills?: boolean;
}

export const LENSES: Record<string, Lens> = {
  rows,
  overview,
  layout,
  schema,
  thrift,
  statistics,
  page_index: pageIndex,
  page,
  encoding,
  dictionary,
  nesting,
  bloom,
  variant,
  geospatial,
  encryption,
  compare,
  facts,
};
