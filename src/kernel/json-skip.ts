import { readFileSync } from 'node:fs';

/** A text laid where its values can be skipped, until the next one is. */
export type Laid = { readonly room: Room; readonly start: number; readonly end: number };

type Program = {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void };
  after(at: number, end: number, depths: number): number;
};
type Room = Program & { bytes: Uint8Array };

/** What of it is needed: the types of Node name it, and no more. */
const { Module, Instance } = (
  globalThis as unknown as {
    WebAssembly: {
      Module: new (code: Uint8Array) => object;
      Instance: new (module: object) => { readonly exports: Program };
    };
  }
).WebAssembly;

/** No place in the text. */
export const none = -1;

/** The room of texts up to this length is kept; a longer one gets its own, which goes with it. */
const keptBytesMax = 4 * 1024 * 1024;
const pageBytes = 64 * 1024;
/** What is read at once (wasm/json-skip.ts), and so may be read behind a text. */
const stepBytes = 16;

const program = new Module(readFileSync(new URL('json-skip.wasm', import.meta.url)));
const kept = open();

function open(): Room {
  const { memory, after } = new Instance(program).exports;
  return { memory, bytes: new Uint8Array(memory.buffer), after };
}

/** Lays a text; the one before is gone. */
export function lay(text: Uint8Array): Laid {
  const room = text.length > keptBytesMax ? open() : kept;
  // In front of it a bit for each level that it may have.
  const start = Math.ceil(text.length / 8) + 1;
  const end = start + text.length;
  const missing = end + stepBytes - room.bytes.length;
  if (missing > 0) {
    room.memory.grow(Math.ceil(missing / pageBytes));
    room.bytes = new Uint8Array(room.memory.buffer);
  }
  room.bytes.set(text, start);
  return { room, start, end };
}

/** The place behind the value that begins at `at`, both as they are in the text; `none` where that is no JSON. */
export function after({ room, start, end }: Laid, at: number): number {
  const behind = room.after(start + at, end, 0);
  return behind === none ? none : behind - start;
}
