/** The pictures of the lake explorer's panels, by the names of pqexplore/widget/lake/panels.py. */

import type { Context } from "../context";
import type { Lens } from "../lenses";
import { asked } from "./asked";
import { columns, health } from "./bars";
import { drift } from "./drift";
import type { Conditions } from "./filters";
import { fleet } from "./fleet";
import { objects } from "./objects";
import { overlap } from "./overlap";
import { skipping } from "./skipping";

export interface LakeContext extends Context {
  /** The filters in force, and as the text that requests take. */
  conditions: Conditions;
  filters: string;
  /** Change filters; null takes one away. */
  narrow(changed: Conditions): void;
  /** Ask the panel again with what was typed. */
  type(text: string): void;
}

export const PANELS: Record<string, Lens> = {
  fleet,
  columns,
  overlap,
  drift,
  health,
  asked,
  objects,
  skipping,
};
