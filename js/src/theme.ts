/** The colours of the page that the explorer stands in, for canvases, which know no CSS. */

export interface Theme {
  dark: boolean;
  background: string;
  ink: string;
  muted: string;
  accent: string;
  font: string;
}

/** What CSS made of the explorer's variables at this moment. */
export function themeOf(el: Element): Theme {
  const style = getComputedStyle(el);
  const probe = (name: string) => resolve(el, style.getPropertyValue(name));
  const background = probe("--pqx-background");
  return {
    dark: luminance(background) < 0.35,
    background,
    ink: probe("--pqx-ink"),
    muted: probe("--pqx-muted"),
    accent: probe("--pqx-accent"),
    font: style.fontFamily || "sans-serif",
  };
}

/** Call `changed` when Jupyter's theme or the system's changes; gives what stops it. */
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

function resolve(el: Element, value: string): string {
  const probe = document.createElement("i");
  probe.style.color = value;
  el.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
