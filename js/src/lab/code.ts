/** The line of Python that shows what a tab shows, for a notebook. */

import type { State } from "../host";

const quoted = (text: string) => JSON.stringify(text);

/** `path` is as the notebook sees it. */
export function pythonLine(path: string, state: State): string {
  if (state.kind === "lake") {
    const at = state.file
      ? `, at=${quoted(state.selection ? `${state.file}#${state.selection}` : state.file)}`
      : "";
    return `pqexplore.explore_lake(${quoted(path)}${at})`;
  }
  const given = [
    ["at", state.selection],
    ["view", state.view],
    ["where", state.where],
  ].filter(([, value]) => value);
  return `pqexplore.explore(${[quoted(path), ...given.map(([name, value]) => `${name}=${quoted(value as string)}`)].join(", ")})`;
}
