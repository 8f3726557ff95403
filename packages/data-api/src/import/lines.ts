import { isUtf8 } from 'node:buffer';

/** A line, numbered from 1, without line break. If `fault` is set, the line is unreadable and `text` is its beginning. */
export type Line = { number: number; text: string; fault: string | null };

export const lineBytesMax = 1024 * 1024;
const shownBytesMax = 2_000;
const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = '\ufeff';

/**
 * Splits a UTF-8 file, with or without byte order mark, into lines ended by LF or CRLF, and yields the lines of each chunk
 * together. Invalid UTF-8 or excess length makes only its own line faulty. Lines are buffered up to the length limit.
 */
export async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const reader = new Reader();
  for await (const chunk of chunks)
    yield reader.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  yield reader.end();
}

class Reader {
  #number = 0;
  /** Buffered beginning of the incomplete line, and its total length. */
  #open: Buffer[] = [];
  #openBytes = 0;

  take(chunk: Buffer): Line[] {
    const last = chunk.lastIndexOf(newline);
    if (last === -1) {
      this.#keep(chunk);
      return [];
    }
    const first = chunk.indexOf(newline);
    this.#keep(chunk.subarray(0, first));
    const found = this.#close();
    if (last > first) this.#split(chunk.subarray(first + 1, last), found);
    this.#keep(chunk.subarray(last + 1));
    return found;
  }

  end(): Line[] {
    return this.#openBytes > 0 ? this.#close() : [];
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#openBytes <= lineBytesMax) this.#open.push(bytes);
    this.#openBytes += bytes.length;
  }

  #close(): Line[] {
    const whole = this.#open.length === 1 && this.#open[0] ? this.#open[0] : Buffer.concat(this.#open);
    const line = this.#line(whole, this.#openBytes);
    this.#open = [];
    this.#openBytes = 0;
    return [line];
  }

  /** Splits complete lines. Decoding them together is many times faster than one by one. */
  #split(bytes: Buffer, found: Line[]): void {
    if (bytes.length <= lineBytesMax && isUtf8(bytes)) {
      for (const text of bytes.toString('utf8').split('\n')) {
        found.push({
          number: ++this.#number,
          text: text.endsWith('\r') ? text.slice(0, -1) : text,
          fault: null,
        });
      }
      return;
    }
    for (let from = 0; from <= bytes.length; ) {
      const next = bytes.indexOf(newline, from);
      const to = next === -1 ? bytes.length : next;
      found.push(this.#line(bytes.subarray(from, to), to - from));
      from = to + 1;
    }
  }

  #line(bytes: Buffer, length: number): Line {
    const number = ++this.#number;
    if (length > lineBytesMax) return unread(number, bytes, `Longer than ${lineBytesMax} bytes`);
    if (!isUtf8(bytes)) return unread(number, bytes, 'Not UTF-8');
    const to = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
    const text = bytes.toString('utf8', 0, to);
    return {
      number,
      text: number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text,
      fault: null,
    };
  }
}

function unread(number: number, bytes: Buffer, fault: string): Line {
  return { number, text: bytes.toString('utf8', 0, shownBytesMax), fault };
}
