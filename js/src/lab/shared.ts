/** Modules that JupyterLab shares with extensions: as webpack's singletons, the one that is loaded, or else the highest. */

interface Shared {
  get(): Promise<() => unknown>;
  loaded?: unknown;
}
export type Scope = Record<string, Record<string, Shared>>;

let scope: Scope | undefined;
const modules: Record<string, unknown> = {};

export function init(given: Scope): void {
  if (scope && scope !== given) throw new Error("another share scope");
  scope = given;
}

function newest(versions: Record<string, Shared>): Shared {
  const order = ([a, x]: [string, Shared], [b, y]: [string, Shared]) =>
    Number(!!y.loaded) - Number(!!x.loaded) || b.localeCompare(a, "en", { numeric: true });
  return Object.entries(versions).sort(order)[0][1];
}

/** Fetch the modules of these names. One that this page does not share is empty: what needs it is left out. */
export async function load(names: string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const versions = scope?.[name];
      modules[name] ??= versions ? (await newest(versions).get())() : {};
    }),
  );
}

export const shared = (name: string): unknown => modules[name];
