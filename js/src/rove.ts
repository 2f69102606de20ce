/** Up, Down, Home and End move between the elements that match `selector`; one of them is in the tab order. */
export function roveRows(event: KeyboardEvent, selector: string): void {
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(selector)];
  const at = rows.indexOf((event.target as Element).closest(selector) as HTMLElement);
  const step: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  if (at < 0 || !(event.key in step)) return;
  event.preventDefault();
  event.stopPropagation();
  const next = rows[step[event.key]];
  if (!next) return;
  rows[at].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
