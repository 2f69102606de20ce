/** The colours of base.css for canvases, by the same names; base.css says what each means. */

import type { Theme } from "./theme";

export const ACCENTS = {
  amount: "#0072B2",
  second: "#56B4E9",
  good: "#009E73",
  wrong: "#D55E00",
  dictionary: "#E69F00",
  nulls: "#CC79A7",
  frame: "#6E6E6E",
  gap: "#A9A9A9",
  locked: "#3C5A78",
  unknown: "#8FA3B8",
} as const;

/** Classes of one legend: Okabe and Ito's colours, without black, which does not show on dark pages. */
export const CLASSES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442", "#D55E00"];

/** What belongs to no class. */
export const REST = "#808080";

/** The dark end of a scale of shares on a light page, the light one on a dark page. */
export const most = (theme: Theme) => (theme.dark ? "#8FD0FF" : "#003D63");
