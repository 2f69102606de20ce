/** Shows the explorers of a test in a page without Jupyter. The page loads `index.js` before this script. */

import { bridgeModel, RENDER, type Received, type RenderProps, type Sent, type State } from "./host";

interface Bridge {
  state: State;
  views: number;
  post(sent: Sent): void;
  receive?(message: Received): void;
}

const page = globalThis as unknown as {
  [RENDER]: (props: RenderProps) => () => void;
  pqxBridge: Bridge;
  pqxMount: (bridge: Bridge) => void;
  pqxEnd: () => void;
};
let stops: (() => void)[] = [];

page.pqxEnd = () => {
  for (const stop of stops.splice(0)) stop();
};

/** Show the explorers of a model in place of those that the page shows. */
page.pqxMount = (bridge) => {
  page.pqxEnd();
  const el = document.getElementById("pqx-root") as HTMLElement;
  const { model, receive } = bridgeModel(bridge.state, bridge.post);
  bridge.receive = receive;
  page.pqxBridge = bridge;
  stops = Array.from({ length: bridge.views }, () => page[RENDER]({ model, el }));
};
