/** Icons as SVG elements, drawn in the colour of the text: a font may lack a sign. */

const SVG = "http://www.w3.org/2000/svg";

/** An icon of 16 × 16 pixels from lines, each in the words of SVG's `d`. */
export function icon(...lines: string[]): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of [
    ["class", "pqx-icon"],
    ["viewBox", "0 0 16 16"],
    ["aria-hidden", "true"],
  ])
    svg.setAttribute(name, value);
  for (const line of lines) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    svg.append(path);
  }
  return svg;
}

export const ICONS = {
  open: ["M4 10l4-4 4 4"],
  folded: ["M4 6l4 4 4-4"],
  tree: ["M3 4h4", "M5 4v8.5h2", "M5 8.25h2", "M9 4h4", "M9 8.25h4", "M9 12.5h4"],
  menu: ["M3.5 8h.01", "M8 8h.01", "M12.5 8h.01"],
  back: ["M10 4L6 8l4 4"],
  forward: ["M6 4l4 4-4 4"],
  pin: ["M5.5 2.5h5", "M6.5 2.5v4l-2 3h7l-2-3v-4", "M8 9.5v4"],
  save: ["M8 2.5v7", "M5 7l3 3 3-3", "M3 11v2.5h10V11"],
  full: ["M2.5 6V2.5H6", "M10 2.5h3.5V6", "M13.5 10v3.5H10", "M6 13.5H2.5V10"],
  leave: ["M6 2.5V6H2.5", "M13.5 6H10V2.5", "M10 13.5V10h3.5", "M2.5 10H6v3.5"],
} as const;
