/** The pictures of the lake explorer's panels, by their names in pqexplore/lake/panels. */

import type { Lens } from "../lenses/lens";
import { asked } from "./asked";
import { columns, health } from "./bars";
import { doctor } from "./doctor";
import { drift } from "./drift";
import { fleet } from "./fleet";
import { objects } from "./objects";
import { overlap } from "./overlap";
import { query } from "./query";
import { skipping } from "./skipping";
import { today } from "./today";

export const PANELS: Record<string, Lens> = {
  today,
  fleet,
  columns,
  overlap,
  drift,
  doctor,
  health,
  asked,
  query,
  objects,
  skipping,
};
