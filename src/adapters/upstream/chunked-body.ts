import * as FieldLines from './field-lines.ts';

export type Malformed = 'malformed_chunk' | 'malformed_trailer';

/** Hexadecimal digits of a chunk's size: 256 TiB. */
const sizeDigitsMax = 12;
const extensionBytesMax = 256;
const trailerBytesMax = 16 * 1024;

/** The extension of RFC 9112, 7.1.1, without the optional "bad" whitespace. */
const extension = /^(?:;[\w!#$%&'*+\-.^`|~]+(?:=(?:[\w!#$%&'*+\-.^`|~]+|"[^"\\\p{Cc}]*"))?)+$/u;

const cr = 0x0d;
const lf = 0x0a;
const semicolon = 0x3b;

type Part = 'size' | 'extension' | 'size_lf' | 'data' | 'data_cr' | 'data_lf' | 'trailer';

/** Reads a chunked body (RFC 9112, 7.1) as its bytes arrive. Extensions and trailers are read and dropped. */
export class ChunkedBody {
  /** The position of the body's bytes in the last bytes read. */
  from = 0;
  to = 0;
  isOver = false;

  #part: Part = 'size';
  #sizeDigits = 0;
  #size = 0;
  /** Bytes left in the current chunk. */
  #left = 0;
  /** The received part of an extension or the trailer. */
  #text = '';

  /**
   * Parses `bytes` between `at` and `end`, and moves the body's bytes in it together, so that they are contiguous.
   * @returns the position where it stopped: `end`, or the end of the body when that is reached
   */
  read(bytes: Buffer, at: number, end: number): number | Malformed {
    this.from = at;
    this.to = at;
    while (at < end && !this.isOver) {
      if (this.#part === 'data') at = this.#take(bytes, at, end);
      else {
        const malformed = this.#step(bytes[at++] as number);
        if (malformed !== null) return malformed;
      }
    }
    return at;
  }

  #take(bytes: Buffer, at: number, end: number): number {
    const until = Math.min(end, at + this.#left);
    if (this.from === this.to) {
      this.from = at;
      this.to = until;
    } else {
      bytes.copyWithin(this.to, at, until);
      this.to += until - at;
    }
    this.#left -= until - at;
    if (this.#left === 0) this.#part = 'data_cr';
    return until;
  }

  #step(byte: number): Malformed | null {
    switch (this.#part) {
      case 'size':
        return this.#sizeByte(byte);
      case 'extension':
        if (byte !== cr) {
          this.#text += String.fromCharCode(byte);
          return this.#text.length > extensionBytesMax ? 'malformed_chunk' : null;
        }
        return extension.test(this.#text) ? this.#go('size_lf') : 'malformed_chunk';
      case 'size_lf':
        this.#text = '';
        this.#left = this.#size;
        return byte === lf ? this.#go(this.#size === 0 ? 'trailer' : 'data') : 'malformed_chunk';
      case 'data':
      case 'data_cr':
        return byte === cr ? this.#go('data_lf') : 'malformed_chunk';
      case 'data_lf':
        this.#size = 0;
        this.#sizeDigits = 0;
        return byte === lf ? this.#go('size') : 'malformed_chunk';
      case 'trailer':
        return this.#trailerByte(byte);
    }
  }

  #sizeByte(byte: number): Malformed | null {
    const value = hexadecimal(byte);
    if (value >= 0) {
      this.#size = this.#size * 16 + value;
      return ++this.#sizeDigits > sizeDigitsMax ? 'malformed_chunk' : null;
    }
    if (this.#sizeDigits === 0) return 'malformed_chunk';
    if (byte === cr) return this.#go('size_lf');
    this.#text = ';';
    return byte === semicolon ? this.#go('extension') : 'malformed_chunk';
  }

  #trailerByte(byte: number): Malformed | null {
    this.#text += String.fromCharCode(byte);
    if (this.#text.length > trailerBytesMax) return 'malformed_trailer';
    if (byte !== lf) return null;
    if (this.#text !== '\r\n' && !this.#text.endsWith('\r\n\r\n')) return null;
    this.isOver = true;
    const fields: string[] = [];
    const malformed = FieldLines.read(this.#text.slice(0, -2), 0, fields);
    return malformed !== null || fields.some(frames) ? 'malformed_trailer' : null;
  }

  #go(part: Part): null {
    this.#part = part;
    return null;
  }
}

/** Returns true for a trailer field that would change how long the body is (RFC 9110, 6.5.1). */
function frames(text: string, at: number): boolean {
  return at % 2 === 0 && (text === 'content-length' || text === 'transfer-encoding');
}

/** Returns the value of a hexadecimal digit, or -1. */
function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
