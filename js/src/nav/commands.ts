/** What can be done here by name or by key: one table, which each part of the explorer adds to and the palette lists. */

export interface Command {
  /** As the palette lists it: the verb first. */
  name: string;
  /** By which other parts run it. */
  id?: string;
  /** Other words for it, which the palette finds it by. */
  also?: string;
  /** Such as "Alt+ArrowLeft"; "Mod" is Control, and Command on a Mac. */
  keys?: string;
  /** Whether it does anything now; it always does without this. */
  can?(): boolean;
  /** The palette does not list it. */
  unlisted?: boolean;
  run(): void;
}

const MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
const SIGNS: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", Mod: MAC ? "⌘" : "Ctrl" };

export class Commands {
  #all: Command[] = [];

  add(...commands: Command[]): void {
    this.#all.push(...commands);
  }

  /** What the palette lists: those that do something now. */
  possible(): Command[] {
    return this.#all.filter((one) => !one.unlisted && (one.can?.() ?? true));
  }

  /** The command with an id, if it does something now. */
  get(id: string): Command | undefined {
    return this.#all.find((one) => one.id === id && (one.can?.() ?? true));
  }

  /** Run the command that has the pressed key, if it does something now. */
  press(event: KeyboardEvent): void {
    const typing = (event.target as Element).matches("input, textarea, select, [contenteditable]");
    // on a Mac, keys with Alt move the cursor by a word
    if (typing && !event.ctrlKey && !event.metaKey) return;
    const pressed = this.#all.find(({ keys }) => keys && isPressed(keys, event));
    if (!pressed) return;
    event.preventDefault();
    event.stopPropagation();
    if (pressed.can?.() ?? true) pressed.run();
  }
}

function isPressed(keys: string, event: KeyboardEvent): boolean {
  const parts = keys.split("+");
  const key = parts.pop() as string;
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    event.altKey === parts.includes("Alt") &&
    event.shiftKey === parts.includes("Shift") &&
    (event.ctrlKey || event.metaKey) === parts.includes("Mod")
  );
}

/** Keys for a person: "Alt+ArrowLeft" → "Alt ←". */
export function keysText(keys: string): string {
  return keys
    .split("+")
    .map((key) => SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key))
    .join(" ");
}

/** Keys for `aria-keyshortcuts`. */
export function keysForReaders(keys: string): string {
  return keys.replace("Mod", MAC ? "Meta" : "Control");
}
