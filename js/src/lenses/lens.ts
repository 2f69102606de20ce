/** The front end of a lens: it draws the picture of the answer of Python's lens of the same name. */

import type { Context, Detail } from "../context";
import type { Child } from "../dom";

export interface Shown {
  /** What stands above the sentence: the question that it answers. */
  readonly head?: HTMLElement;
  /** Show another node with the same lens; true if that needs no new mount. */
  follow?(detail: Detail, picture: never): boolean;
  dispose(): void;
}

export interface Lens {
  /** Draw the picture of an answer. The sentence above and the table below it are the frame's. */
  mount(el: HTMLElement, picture: never, ctx: Context, detail: Detail): Shown;
  /** The sentence above the picture with links, if it is not a plain text. */
  sentence?(text: string, picture: never, ctx: Context): Child[];
  /** The lens is itself a table that fills the pane; the frame shows no table. */
  fills?: boolean;
  /** The table changes when the picture follows to another answer. */
  refreshes?: boolean;
}
