/** A button of the toolbar that runs a command: its tip has the command's name and keys. */

import { h } from "../dom";
import { type Command, keysForReaders, keysText } from "./commands";

export function commandButton(command: Command, ...children: (Element | string)[]): HTMLButtonElement {
  const { name, keys } = command;
  return h(
    "button",
    {
      class: "pqx-button",
      title: keys ? `${name} (${keysText(keys)})` : name,
      "aria-label": name,
      "aria-keyshortcuts": keys && keysForReaders(keys),
      onclick: () => command.run(),
    },
    ...children,
  );
}

/** The button that opens the palette. */
export function door(find: Command): HTMLButtonElement {
  const made = commandButton(find, h("span", {}, "find…"), h("kbd", {}, keysText("Mod+K")));
  made.classList.add("pqx-door");
  made.removeAttribute("aria-label"); // its text names it
  return made;
}
