/**
 * Starts the explorer in a page without Jupyter, with the snapshot in the page or with the bridge of a test. The page
 * loads `index.js` before this script.
 */

import {
  bridgeModel,
  RENDER,
  type Received,
  type RenderProps,
  readSnapshot,
  type Sent,
  type State,
  snapshotModel,
} from "./host";

interface Bridge {
  state: State;
  views: number;
  post(sent: Sent): void;
  receive?(message: Received): void;
}

const { [RENDER]: render, pqxBridge: bridge } = globalThis as unknown as {
  [RENDER]: (props: RenderProps) => void;
  pqxBridge: Bridge;
};
const el = document.getElementById("pqx-root") as HTMLElement;
const snapshot = document.getElementById("pqx-snapshot");

if (snapshot) {
  const later = document.getElementById("pqx-later")?.textContent ?? "";
  render({ model: snapshotModel(readSnapshot(snapshot.textContent ?? "", later)), el });
} else {
  const { model, receive } = bridgeModel(bridge.state, bridge.post);
  bridge.receive = receive;
  for (let i = 0; i < bridge.views; i++) render({ model, el });
}
