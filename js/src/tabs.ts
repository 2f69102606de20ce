/** Tabs by the keyboard: arrows, Home and End go to a tab and choose it; one tab is in the tab order. */

import { nextFrame } from "./rest";

/** In pixels: what is left at the sides of a tab that is scrolled into the bar. */
const ROOM = 28;

export function stepTabs(list: HTMLElement, event: KeyboardEvent): void {
  const tabs = [...list.children] as HTMLElement[];
  const at = tabs.indexOf(event.target as HTMLElement);
  const step: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: tabs.length - 1,
  };
  if (!(event.key in step)) return;
  event.preventDefault();
  event.stopPropagation();
  const next = tabs[(step[event.key] + tabs.length) % tabs.length];
  next.focus();
  next.click();
  nextFrame(() => list.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
}

/** Scroll the chosen tab into the bar, and nothing else. */
export function revealTab(bar: HTMLElement): void {
  const tab = bar.querySelector<HTMLElement>("[aria-selected=true]");
  if (!tab) return;
  const [start, end] = [tab.offsetLeft - ROOM, tab.offsetLeft + tab.offsetWidth + ROOM];
  if (start < bar.scrollLeft) bar.scrollLeft = start;
  else if (end > bar.scrollLeft + bar.clientWidth) bar.scrollLeft = end - bar.clientWidth;
}
