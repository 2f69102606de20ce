/** A message of a document's process: a JSON text with its length before it, then the buffers (pqexplore/app/frames.py). */

import type { State } from "../host";

export interface Message {
  kind: string;
  /** Lengths of the buffers. */
  buffers: number[];
  /** Of `state` and `update`. */
  state?: State;
  encrypted?: boolean;
  /** Of `custom`: what a widget would get. */
  content?: unknown;
  /** Of `note`, `failed` and `refused`: a sentence. */
  message?: string;
  /** Of `read`: the bytes of a dropped file that are asked for. */
  id?: number;
  start?: number;
  length?: number;
}

export function unpack(data: ArrayBuffer): { message: Message; buffers: DataView[] } {
  const length = new DataView(data).getUint32(0, true);
  const message = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Message;
  let at = 4 + length;
  const buffers = message.buffers.map((bytes) => {
    const view = new DataView(data, at, bytes);
    at += bytes;
    return view;
  });
  return { message, buffers };
}

/** The piece of a dropped file that `id` asked for; only its number where the file cannot be read. */
export function piece(id: number, bytes: ArrayBuffer): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(4 + bytes.byteLength);
  new DataView(made.buffer).setUint32(0, id, true);
  made.set(new Uint8Array(bytes), 4);
  return made;
}
