/** The colours of the page around the explorer, for canvases, which cannot use CSS. */

export interface Theme {
  dark: boolean;
  background: string;
  ink: string;
  muted: string;
  accent: string;
  font: string;
}

/** The values of the explorer's CSS variables at this moment. */
export function themeOf(el: Element): Theme {
  // one probe without a box: styles are computed once, and the layout does not change
  const probe = document.createElement("i");
  probe.style.cssText =
    "display: none; background-color: var(--pqx-background); color: var(--pqx-ink); " +
    "border-top-color: var(--pqx-muted); border-bottom-color: var(--pqx-accent)";
  el.append(probe);
  const style = getComputedStyle(probe);
  const background = style.backgroundColor;
  const theme = {
    dark: luminance(background) < 0.35,
    background,
    ink: style.color,
    muted: style.borderTopColor,
    accent: style.borderBottomColor,
    font: getComputedStyle(el).fontFamily || "sans-serif",
  };
  probe.remove();
  return theme;
}

/** Call `changed` when Jupyter's or the system's theme changes. Returns a function that stops this. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  const filter = ["data-jp-theme-light", "data-jp-theme-name", "data-vscode-theme-kind", "class"];
  observer.observe(document.body, { attributes: true, attributeFilter: filter });
  const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((q) => matchMedia(q));
  for (const query of queries) query.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener("change", changed);
  };
}

/** Any CSS colour as [red, green, blue]; canvases and luminance need numbers. */
export function channels(colour: string): [number, number, number] {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour.trim());
  if (hex) {
    const n = Number.parseInt(hex[1], 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
  }
  const [r, g, b] = (colour.match(/[\d.]+/g) ?? ["255", "255", "255"]).map(Number);
  return [r, g, b];
}

export function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
