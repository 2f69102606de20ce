/** What a node holds: its children as bars. */

import { append } from "../dom";
import { count, plural, size } from "../text";
import type { Child, Picture } from "../wire/contents";
import { DifferencesView } from "./group_differences";
import type { Lens, Shown } from "./lens";
import { ranking } from "./ranking";

/** Bars above which what differs comes first. */
const FEW = 10;

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
    const sizes = ranking(ctx, "The parts by size", picture.children.map(bar), more);
    const { differences } = picture;
    const whole = differences?.compared === differences?.of && differences?.groups.length === picture.total;
    const apart = differences && new DifferencesView(ctx, differences, whole);
    append(el, picture.children.length > FEW ? [apart?.el, sizes] : [sizes, apart?.el]);
    return { dispose: () => apart?.dispose() };
  },
};
