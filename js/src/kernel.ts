/** What the notebook's front end knows of the kernel. JupyterLab and Notebook say it; others give nothing, and silence decides. */

/** `gone` is a kernel that died, ends or begins anew: what it had is lost. `unknown` is one whose connection is broken. */
export type KernelState = "idle" | "busy" | "gone" | "unknown";

export interface Kernel {
  state(): KernelState;
  /** Calls when the state may be another one. Returns a function that stops this. */
  on(listener: () => void): () => void;
}

interface JupyterSignal {
  connect(slot: () => void): unknown;
  disconnect(slot: () => void): unknown;
}

/** A kernel's connection of `@jupyterlab/services`, as far as it is used. */
interface Connection {
  status: string;
  connectionStatus?: string;
  isDisposed?: boolean;
  statusChanged: JupyterSignal;
  connectionStatusChanged?: JupyterSignal;
}

const STATES: Record<string, KernelState> = {
  idle: "idle",
  busy: "busy",
  dead: "gone",
  terminating: "gone",
  restarting: "gone",
  autorestarting: "gone",
};

function isConnection(found: unknown): found is Connection {
  const one = found as Partial<Connection> | null | undefined;
  return typeof one?.status === "string" && typeof one.statusChanged?.connect === "function";
}

/** The kernel of a widget's model; null where the front end does not say which it is. */
export function kernelOf(model: unknown): Kernel | null {
  const manager = (model as { widget_manager?: { kernel?: unknown } } | null)?.widget_manager;
  let kernel: unknown;
  try {
    kernel = manager?.kernel;
  } catch {
    return null; // a manager without a session
  }
  if (!isConnection(kernel)) return null;
  const connection = kernel;
  return {
    state: () => {
      if (connection.isDisposed) return "gone";
      const { connectionStatus = "connected", status } = connection;
      return connectionStatus === "connected" ? (STATES[status] ?? "unknown") : "unknown";
    },
    on: (listener) => {
      const slot = () => listener();
      const signals = [connection.statusChanged, connection.connectionStatusChanged];
      for (const signal of signals) signal?.connect(slot);
      return () => {
        for (const signal of signals) signal?.disconnect(slot);
      };
    },
  };
}
