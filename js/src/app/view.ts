/**
 * The page of `pqexplore view`. Its address says what is shown, so that reloading and going back work; a file that is dropped
 * into it opens, read piece by piece.
 */

import { fill, h } from "../dom";
import type { State } from "../host";
import type { Opening } from "./app";
import type { Live } from "./live";

const main = document.getElementById("pqx-app") as HTMLElement;
const { own, path, version, begun } = main.dataset as Record<string, string>;

/** What tells places apart for the browser's back button. */
const PLACES = ["file"];

type App = { open(options: Opening): Promise<Live> };
const app: Promise<App> = import(`${own}/static/app.js?v=${version}`);

let live: Live | null = null;
let dropped: File | undefined;
let known = "";

function socket(): string {
  const at = new URL(`${own}/api/socket`, location.href);
  at.protocol = at.protocol.replace("http", "ws");
  if (dropped) {
    at.searchParams.set("dropped", dropped.name);
    at.searchParams.set("size", String(dropped.size));
  } else at.searchParams.set("path", path);
  return at.href;
}

const fragment = (): State => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function changed(state: State): void {
  if (dropped) return;
  const said = Object.entries(state).filter(
    ([name, value]) => value && !["kind", "resumed", "lens"].includes(name),
  );
  const place = JSON.stringify(PLACES.map((name) => state[name] ?? ""));
  const url = `${location.pathname}#${new URLSearchParams(said)}`;
  if (known && place !== known) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  known = place;
}

async function show(file?: File): Promise<void> {
  live?.dispose();
  dropped = file;
  known = "";
  document.title = `${file?.name ?? (path.split("/").pop() || begun)} – pqexplore`;
  const { open } = await app;
  live = await open({ socket, state: file ? {} : fragment(), changed, dropped: file });
  fill(main, live.el);
  if (file) {
    const back = h("button", { class: "pqx-app-button", onclick: () => void show() }, `back to ${begun}`);
    live.el.prepend(
      h("p", { class: "pqx-app-line" }, `${file.name}, read from your disk by this page. `, begun && back),
    );
  }
}

// the token that was in the address is a cookie now
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

addEventListener("popstate", () => {
  if (dropped) return;
  known = "";
  const state = fragment();
  for (const name of ["file", "selection", "view", "panel", "filters", "where"])
    if (name in (live?.state ?? {})) state[name] ??= "";
  live?.go(state);
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) void show(file);
});

if (path || begun) void show();
else fill(main, h("p", {}, "Drop a Parquet file here."));
