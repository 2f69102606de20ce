/** What a node holds: its children as bars. */

import { append } from "../dom";
import { count, plural, size } from "../text";
import type { Child, Picture } from "../wire/contents";
import type { Lens, Shown } from "./lens";
import { ranking } from "./ranking";

export const contents: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    const share = (bytes: number) => (100 * bytes) / Math.max(1, picture.whole);
    const bar = (one: Child) => ({
      ...one,
      figures: one.bytes === null ? "" : size(one.bytes),
      note: [
        one.bytes !== null && picture.whole > 0 && `${share(one.bytes).toFixed(1)} %`,
        one.amount !== null && plural(one.amount, picture.unit),
        one.ratio !== null && `compressed ${one.ratio.toFixed(1)} ×`,
      ]
        .filter(Boolean)
        .join(", "),
    });
    const left = picture.total - picture.children.length;
    const more = left ? `${count(left)} more, smaller ones or after the first ${count(picture.listed)}` : "";
    append(el, [ranking(ctx, "The parts by size", picture.children.map(bar), more)]);
    return { dispose: () => {} };
  },
};
