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

const FRAME = "M2.5 3.5h11v9h-11z";

export const ICONS = {
  open: ["M4 10l4-4 4 4"],
  folded: ["M4 6l4 4 4-4"],
  below: [FRAME, "M2.5 9h11", "M5 10.75h6"],
  beside: [FRAME, "M9 3.5v9", "M11.25 6v4"],
  off: [FRAME],
  back: ["M10 4L6 8l4 4"],
  forward: ["M6 4l4 4-4 4"],
  pin: ["M5.5 2.5h5", "M6.5 2.5v4l-2 3h7l-2-3v-4", "M8 9.5v4"],
  save: ["M8 2.5v7", "M5 7l3 3 3-3", "M3 11v2.5h10V11"],
  full: ["M2.5 6V2.5H6", "M10 2.5h3.5V6", "M13.5 10v3.5H10", "M6 13.5H2.5V10"],
  leave: ["M6 2.5V6H2.5", "M13.5 6H10V2.5", "M10 13.5V10h3.5", "M2.5 10H6v3.5"],
} as const;
