import { readFileSync } from 'node:fs';

/** The one text that is laid where its values can be skipped: from `start` to `end`, until the next one is. */
export type Laid = { readonly start: number; readonly end: number };

type Program = {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void };
  after(at: number, end: number, depths: number): number;
};

/** The part of WebAssembly that is needed here; Node's own types declare the name and no members. */
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

const pageBytes = 64 * 1024;
/** The number of bytes read at once (json-count/json-skip.ts); up to that many may be read beyond the end of a text. */
const stepBytes = 16;

const program = new Instance(new Module(readFileSync(new URL('json-skip.wasm', import.meta.url)))).exports;
/** Stays as large as the longest text was: a room for each would be garbage by the hundred megabytes before it is collected. */
let room = new Uint8Array(program.memory.buffer);

/** Lays a text; the one before is gone. Throws RangeError where there is no memory for it. */
export function lay(text: Uint8Array): Laid {
  // In front of it a bit for each level that it may have.
  const start = Math.ceil(text.length / 8) + 1;
  const end = start + text.length;
  const missing = end + stepBytes - room.length;
  if (missing > 0) {
    program.memory.grow(Math.ceil(missing / pageBytes));
    room = new Uint8Array(program.memory.buffer);
  }
  room.set(text, start);
  return { start, end };
}

/** The place behind the value that begins at `at`, both as they are in the text; `none` where that is no JSON. */
export function after({ start, end }: Laid, at: number): number {
  const behind = program.after(start + at, end, 0);
  return behind === none ? none : behind - start;
}
