/** The explorer in a page of its own: over the snapshot in the page, or over a bridge that a test has put there. */

import "./index.css";
import { Explorer } from "./explorer";
import { bridgeModel, type Received, type Sent, type Snapshot, type State, snapshotModel } from "./host";
import { LakeExplorer } from "./lake/explorer";

interface Bridge {
  state: State;
  views: number;
  post(sent: Sent): void;
  receive?(message: Received): void;
}

const root = document.getElementById("pqx-root") as HTMLElement;
const snapshot = document.getElementById("pqx-snapshot");

if (snapshot) new Explorer(snapshotModel(JSON.parse(snapshot.textContent ?? "") as Snapshot), root);
else {
  const bridge = (globalThis as unknown as { pqxBridge: Bridge }).pqxBridge;
  const { model, receive } = bridgeModel(bridge.state, bridge.post);
  bridge.receive = receive;
  for (let i = 0; i < bridge.views; i++)
    if (model.get("kind") === "lake") new LakeExplorer(model, root);
    else new Explorer(model, root);
}
