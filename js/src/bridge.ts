/** Starts the explorers of a test in a page without Jupyter. The page loads `index.js` before this script. */

import { bridgeModel, RENDER, type Received, type RenderProps, type Sent, type State } from "./host";

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
const { model, receive } = bridgeModel(bridge.state, bridge.post);
bridge.receive = receive;
for (let i = 0; i < bridge.views; i++) render({ model, el });
