/** Charts by the plotly.js of the installed plotly package. It is sent once for each page; nothing is downloaded. */

import "./plot.css";
import type { Context } from "./context";
import { fill, h } from "./dom";
import { beside, marksOf, type PlacedMark } from "./plotmarks";
import { inert } from "./plottext";
import type { Rpc } from "./rpc";
import { onThemeChange, themeOf } from "./theme";
import type { Figure } from "./wire/wire";

interface Point {
  pointNumber?: number;
  curveNumber?: number;
}

interface Drawing extends HTMLElement {
  on(event: string, listener: (event: { points?: Point[] }) => unknown): void;
}

interface Plotly {
  newPlot(el: HTMLElement, data: unknown, layout: unknown, config: unknown): Promise<unknown>;
  relayout(el: HTMLElement, layout: unknown): Promise<unknown>;
  purge(el: HTMLElement): void;
  Plots: { resize(el: HTMLElement): void };
}

const page = globalThis as unknown as { pqxPlotly?: Promise<Plotly> };

function load(rpc: Rpc): Promise<Plotly> {
  page.pqxPlotly ??= fetchPlotly(rpc).catch((error) => {
    page.pqxPlotly = undefined;
    throw error;
  });
  return page.pqxPlotly;
}

/** Run the script that Python sends; a saved page allows exactly this text by its hash. */
async function fetchPlotly(rpc: Rpc): Promise<Plotly> {
  const { buffers } = await rpc.call("plotly");
  const packed = new Blob(buffers as DataView<ArrayBuffer>[]).stream();
  const script = document.createElement("script");
  script.textContent = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
  document.head.append(script);
  script.remove();
  const page = globalThis as unknown as { pqxPlotlyMade?: Plotly };
  if (!page.pqxPlotlyMade)
    throw new Error("This page does not allow plotly.js to run; the table below has the same figures.");
  return page.pqxPlotlyMade;
}

/**
 * A chart in the page's colours. A click on a mark, or arrow keys and Enter, go to its node. The line below the chart
 * is the text of the mark under the pointer, and its bytes are marked. The table below has the same figures, for people
 * who do not see the chart.
 */
export class Plot {
  readonly el: HTMLElement;
  #ctx: Context;
  #figure: Figure;
  #stage: HTMLElement;
  #note = h("p", { class: "pqx-plot-note" });
  #hint: string;
  #plotly: Plotly | null = null;
  #marks: PlacedMark[];
  #at = -1;
  #stop: () => void;
  #observer: ResizeObserver;
  #frame = 0;
  #width = 0;
  #gone = false;

  constructor(ctx: Context, figure: Figure, options: { label: string; height: number }) {
    this.#ctx = ctx;
    this.#figure = figure;
    this.#marks = marksOf(figure.data);
    const keys = this.#marks.length > 0;
    this.#hint = keys ? "Point at a mark, or use the arrow keys; Enter goes to its node." : "";
    this.#stage = h("div", { class: "pqx-plot-stage", "aria-hidden": "true" });
    this.#stage.style.height = `${options.height}px`;
    fill(this.#stage, h("span", { class: "pqx-muted" }, "drawing…"));
    const frame = h(
      "div",
      {
        class: "pqx-plot-frame",
        role: keys ? "group" : "img",
        tabindex: keys ? 0 : null,
        "aria-roledescription": keys ? "chart" : null,
        "aria-label": keys ? `${options.label}. ${this.#hint}` : options.label,
        onkeydown: (event: KeyboardEvent) => this.#key(event),
        onblur: () => this.#point(-1),
      },
      this.#stage,
    );
    this.el = h("div", { class: "pqx-plot" }, frame, keys && this.#note);
    fill(this.#note, this.#hint);
    this.#stop = onThemeChange(() => void this.#plotly?.relayout(this.#stage, inert(this.#colours())));
    this.#observer = new ResizeObserver(() => this.#resized());
    this.#observer.observe(this.#stage);
    void this.#draw();
  }

  dispose(): void {
    this.#gone = true;
    cancelAnimationFrame(this.#frame);
    this.#stop();
    this.#observer.disconnect();
    if (this.#at >= 0) this.#ctx.hot.emit(null);
    this.#plotly?.purge(this.#stage);
  }

  async #draw(): Promise<void> {
    try {
      const plotly = await load(this.#ctx.rpc);
      if (this.#gone) return;
      this.#plotly = plotly;
      this.#stage.replaceChildren();
      const layout = { ...this.#figure.layout, ...this.#colours(), autosize: true };
      await plotly.newPlot(this.#stage, inert(this.#figure.data), inert(layout), {
        displayModeBar: false,
        responsive: false,
        typesetMath: false,
      });
    } catch (error) {
      if (!this.#gone) fill(this.#stage, h("p", { class: "pqx-muted" }, (error as Error).message));
      return;
    }
    if (this.#gone) return;
    this.#width = this.#stage.clientWidth;
    const drawing = this.#stage as unknown as Drawing;
    drawing.on("plotly_click", ({ points }) => this.#clicked(points?.[0]));
    // without this, the charts of hierarchies would zoom into the clicked mark
    for (const kind of ["icicle", "treemap", "sunburst"])
      drawing.on(`plotly_${kind}click`, ({ points }) => {
        this.#clicked(points?.[0]);
        return false;
      });
    drawing.on("plotly_hover", ({ points }) => this.#point(this.#indexOf(points?.[0])));
    drawing.on("plotly_unhover", () => this.#point(-1));
    this.el.dataset.drawn = "true";
  }

  #resized(): void {
    const width = this.#stage.clientWidth;
    if (!this.el.dataset.drawn || !width || width === this.#width) return;
    this.#width = width;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#plotly?.Plots.resize(this.#stage));
  }

  #indexOf(point: Point | undefined): number {
    if (!point) return -1;
    return this.#marks.findIndex(
      (mark) => mark.curve === (point.curveNumber ?? 0) && mark.point === point.pointNumber,
    );
  }

  #clicked(point: Point | undefined): void {
    this.#go(this.#indexOf(point));
  }

  #go(index: number): void {
    const address = this.#marks[index]?.address;
    if (typeof address === "string") this.#ctx.select(address);
  }

  /** Show the text of a mark, outline the mark and highlight its bytes; -1 for no mark. */
  #point(index: number): void {
    if (index === this.#at) return;
    this.#at = index;
    const mark = this.#marks[index];
    fill(this.#note, mark ? mark.text : this.#hint);
    this.el.dataset.at = mark ? String(index) : "";
    this.#ctx.hot.emit(mark?.span ?? null);
    for (const old of this.#stage.querySelectorAll(".pqx-plot-at")) old.classList.remove("pqx-plot-at");
    if (!mark) return;
    for (const el of this.#stage.querySelectorAll("g.slice, g.point, path.point")) {
      const data = (el as unknown as { __data__?: Record<string, unknown> }).__data__;
      const drawn = Array.isArray(data) ? data[0] : data;
      // a point of a hierarchy lies one level deeper in older versions of plotly.js
      const below = drawn?.data as { i?: number; data?: { i?: number } } | undefined;
      const number = drawn?.pointNumber ?? drawn?.i ?? below?.i ?? below?.data?.i;
      const trace = drawn?.trace as { index?: number } | undefined;
      if (number === mark.point && (trace?.index ?? mark.curve) === mark.curve)
        el.classList.add("pqx-plot-at");
    }
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey || !this.#marks.length) return;
    if (event.key === "Enter" && this.#at >= 0) this.#go(this.#at);
    else {
      const to = beside(this.#marks, this.#at, event.key);
      if (to === null) return;
      this.#point(to);
      this.#ctx.announce(this.#marks[to].text);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #colours(): Record<string, unknown> {
    const theme = themeOf(this.el.isConnected ? this.el : document.body);
    const grid = theme.dark ? "rgba(255,255,255,.14)" : "rgba(0,0,0,.1)";
    const axes = Object.keys(this.#figure.layout).filter((name) => /^[xy]axis\d*$/.test(name));
    const given: Record<string, unknown> = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: theme.ink, family: theme.font, size: 12 },
      hoverlabel: {
        bgcolor: theme.background,
        bordercolor: theme.muted,
        font: { color: theme.ink, family: theme.font, size: 12 },
      },
    };
    for (const axis of axes)
      given[axis] = {
        ...(this.#figure.layout[axis] as object),
        gridcolor: grid,
        zerolinecolor: grid,
        linecolor: grid,
      };
    return given;
  }
}
