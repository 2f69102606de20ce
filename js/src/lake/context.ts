/** What a panel of the lake explorer can do: change filters, send its request again. */

import type { Context } from "../context";

/** The active filters by name; null removes one. */
export type Conditions = Record<string, [number | null, number | null] | string | null>;

export interface LakeContext extends Context {
  /** The active filters, and the same as the text that requests take. */
  conditions: Conditions;
  filters: string;
  /** A path without the folder that all files lie in. */
  relative(path: string): string;
  /** Change filters; null removes one. */
  narrow(changed: Conditions): void;
  /** Request the panel again with the typed text. */
  type(text: string): Promise<void>;
  /** Show a panel, with more filters. */
  show(panel: string, changed: Conditions): void;
  /** The condition that is asked; "" without one. */
  where: string;
  /** Ask what a query reads; files that are opened then show the same condition. "" clears it. */
  ask(where: string, engine: string): void;
}
