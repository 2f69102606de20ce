/** Starts the explorer in a saved page, which holds a snapshot of replies and has no lake. */

import "./index.css";
import { Explorer } from "./explorer";
import { readSnapshot, snapshotModel } from "./host";

const text = (id: string) => document.getElementById(id)?.textContent ?? "";
readSnapshot(text("pqx-snapshot"), text("pqx-later")).then((snapshot) => {
  new Explorer(snapshotModel(snapshot), document.getElementById("pqx-root") as HTMLElement);
});
