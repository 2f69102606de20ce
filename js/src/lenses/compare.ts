/** A column across the row groups, as bars. */

import { append, h } from "../dom";
import { Plot } from "../plot";
import { count } from "../text";
import type { Picture } from "../wire/compare";
import type { Lens, Shown } from "./lens";

export const compare: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    const ranged = "yaxis3" in picture.figure.layout;
    const plot = new Plot(ctx, picture.figure, {
      label: `Bytes, ratio${ranged ? " and range" : ""} of the column in each of ${count(picture.drawn)} row groups`,
      height: ranged ? 260 : 190,
    });
    append(el, [
      plot.el,
      picture.groups > picture.drawn &&
        h(
          "p",
          { class: "pqx-muted" },
          `The first ${count(picture.drawn)} of ${count(picture.groups)} row groups.`,
        ),
    ]);
    return { dispose: () => plot.dispose() };
  },
};
