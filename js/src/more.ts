/** What scrolls shows where there is more: `data-more` lists the sides, and more.css fades them. */

import "./more.css";
import { Soon } from "./rest";

/** Keep `data-more` of an element that scrolls. Returns a function that stops this. */
export function showMore(el: HTMLElement): () => void {
  el.classList.add("pqx-more");
  const frame = new Soon();
  const look = () => {
    const sides = [
      el.scrollTop > 1 && "up",
      el.scrollTop + el.clientHeight < el.scrollHeight - 1 && "down",
      el.scrollLeft > 1 && "left",
      el.scrollLeft + el.clientWidth < el.scrollWidth - 1 && "right",
    ];
    const more = sides.filter(Boolean).join(" ");
    if (el.dataset.more !== more) el.dataset.more = more;
  };
  const soon = () => frame.frame(look);
  const sizes = new ResizeObserver(soon);
  const watch = () => {
    sizes.disconnect();
    sizes.observe(el);
    for (const child of el.children) sizes.observe(child);
  };
  const children = new MutationObserver(watch);
  children.observe(el, { childList: true });
  el.addEventListener("scroll", soon, { passive: true });
  watch();
  return () => {
    frame.drop();
    sizes.disconnect();
    children.disconnect();
    el.removeEventListener("scroll", soon);
  };
}
