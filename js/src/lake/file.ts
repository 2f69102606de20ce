/** The model of one file of a lake: the lake's model, with the file's path added to each request. */

import type { Model } from "../host";

export class FileModel implements Model {
  #lake: Model;
  #path: string;

  constructor(lake: Model, path: string) {
    this.#lake = lake;
    this.#path = path;
  }

  get(name: string): string {
    return this.#lake.get(name);
  }

  set(name: string, value: string): void {
    this.#lake.set(name, value);
  }

  save_changes(): void {
    this.#lake.save_changes();
  }

  on(event: string, callback: (...args: never[]) => void): void {
    this.#lake.on(event, callback);
  }

  off(event?: string | null, callback?: ((...args: never[]) => void) | null): void {
    this.#lake.off(event, callback);
  }

  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void {
    this.#lake.send({ ...(content as object), file: this.#path }, callbacks, buffers);
  }
}
