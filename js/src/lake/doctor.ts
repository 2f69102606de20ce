/** What to mend in the files of a lake: a card for each finding. Many files are diagnosed only on request. */

import { append, h } from "../dom";
import { cards } from "../lenses/cards";
import type { Lens } from "../lenses/lens";
import { plural } from "../text";
import type { Picture } from "../wire/doctor";
import type { LakeContext } from "./context";

export const doctor: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    append(el, [
      picture.waiting > 0 &&
        h(
          "button",
          { class: "pqx-button", onclick: () => lake.type("footer") },
          `diagnose ${plural(picture.waiting, "file")}`,
        ),
      cards(lake, picture),
    ]);
    return { dispose: () => {} };
  },
};
