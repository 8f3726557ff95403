import * as ContentCoding from './content-coding.ts';
import type { UpstreamFailure } from './upstream-response.ts';

/**
 * Finds the operator's key in an upstream's response: verbatim, percent-encoded, escaped as in JSON or HTML, in UTF-16, and in
 * base64 and base64url, also inside a longer base64 text such as a Basic credential.
 */
export type KeySearch = {
  /** For whole bodies and for streams. */
  whole: Needles;
  /** For a part of a body (206), which may start or end inside the key: also finds its first and its last third. */
  parts: Needles;
};

/** Shorter secrets are searched for verbatim only, because their encodings would occur in any text. */
const encodedBytesMin = 8;
/** Below this length, sampling would read nearly every byte. */
const sampledBytesMin = 4;

/**
 * Prepares the search. Returns null when `key` is empty.
 * @param key the operator's key
 * @param template the value of its header, containing `{key}`. After `Basic` the key is a base64 text, whose decoded content is secret too.
 */
export function create(key: string, template: string): KeySearch | null {
  return key === '' ? null : ofSecrets(secretsIn(key, template));
}

/** Returns the key, and what it contains when it is the text of Basic authentication. */
export function secretsIn(key: string, template: string): string[] {
  const secrets = [key];
  const pair = /^basic\s+\{key\}$/i.test(template.trim())
    ? Buffer.from(key, 'base64').toString('latin1')
    : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  for (const secret of [pair, password]) if (secret.length >= encodedBytesMin) secrets.push(secret);
  return secrets;
}

/** Prepares the search for several secrets: all keys of all upstreams, client secrets and access tokens. Empty ones are ignored. */
export function ofSecrets(all: Iterable<string>): KeySearch | null {
  const secrets = new Set(all);
  secrets.delete('');
  if (secrets.size === 0) return null;
  const spelled = new Map<string, Buffer>();
  for (const secret of secrets)
    for (const needle of spellings(secret)) spelled.set(needle.toString('latin1'), needle);
  const whole = [...spelled.values()];
  const parts = new Map<string, Buffer>();
  for (const needle of whole) {
    const bytes = Math.min(needle.length, Math.max(sampledBytesMin, Math.ceil(needle.length / 3)));
    for (const part of [needle.subarray(0, bytes), needle.subarray(-bytes)])
      parts.set(part.toString('latin1'), part);
  }
  return { whole: new Needles(whole), parts: new Needles([...parts.values()]) };
}

/** A set of byte strings that are searched for in a single pass. */
export class Needles {
  /** As Latin-1, for headers. */
  readonly texts: readonly string[];
  readonly #needles: readonly Buffer[];
  readonly #stride: number;
  /** Maps two bytes to the needles that contain them within the shortest needle's length: an index into `#places`, or 0 for none. */
  readonly #pairs = new Uint16Array(65_536);
  readonly #places: { needle: Buffer; offset: number }[][] = [[]];

  /** @param needles at least one; none is empty */
  constructor(needles: readonly Buffer[]) {
    this.#needles = needles;
    this.texts = needles.map((needle) => needle.toString('latin1'));
    const shortest = Math.min(...needles.map(({ length }) => length));
    this.#stride = shortest < sampledBytesMin ? 0 : shortest - 1;
    for (const needle of needles) for (let at = 0; at < this.#stride; at++) this.#add(needle, at);
  }

  /**
   * Returns true when `bytes` contains any needle. Reads two bytes in every `stride`: the shortest needle always covers at least one
   * such pair, so no occurrence can fall between two of them.
   */
  areIn(bytes: Buffer): boolean {
    const stride = this.#stride;
    if (stride === 0) return this.#needles.some((needle) => bytes.includes(needle));
    const pairs = this.#pairs;
    const end = bytes.length - 1;
    for (let at = 0; at < end; at += stride) {
      const place = pairs[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number;
      if (place !== 0 && this.#isAt(bytes, at, place)) return true;
    }
    return false;
  }

  /** Returns how many of the last bytes may be the start of a needle. */
  begunAtEnd(bytes: Buffer): number {
    let longest = 0;
    for (const needle of this.#needles)
      for (let length = Math.min(needle.length - 1, bytes.length); length > longest; length--)
        if (isPrefix(needle, bytes, bytes.length - length)) longest = length;
    return longest;
  }

  #add(needle: Buffer, offset: number): void {
    const pair = needle.readUInt16BE(offset);
    if (this.#pairs[pair] === 0) this.#pairs[pair] = this.#places.push([]) - 1;
    this.#places[this.#pairs[pair] as number]?.push({ needle, offset });
  }

  #isAt(bytes: Buffer, at: number, place: number): boolean {
    for (const { needle, offset } of this.#places[place] ?? []) {
      const from = at - offset;
      if (from >= 0 && from + needle.length <= bytes.length && isPrefix(needle, bytes, from)) return true;
    }
    return false;
  }
}

const nothing = Buffer.alloc(0);

/** Searches a body that arrives in pieces. It retains the end of a piece while a needle may start there. */
export class StreamSearch {
  readonly #needles: Needles;
  #heldBack: Buffer = nothing;

  constructor(needles: Needles) {
    this.#needles = needles;
  }

  /** Takes the next piece. @returns the bytes that may be sent now, in the memory of `piece` or in new memory; null when a needle was found */
  push(piece: Buffer): Buffer | null {
    const bytes = this.#heldBack.length === 0 ? piece : Buffer.concat([this.#heldBack, piece]);
    if (this.#needles.areIn(bytes)) return null;
    const begun = this.#needles.begunAtEnd(bytes);
    this.#heldBack = begun === 0 ? nothing : Buffer.from(bytes.subarray(bytes.length - begun));
    return begun === 0 ? bytes : bytes.subarray(0, bytes.length - begun);
  }

  /** Returns the retained bytes, which are sent once the body has ended. */
  rest(): Buffer {
    return this.#heldBack;
  }
}

/** The outcome of a call whose response contains the key. */
export const keyFound: UpstreamFailure = { kind: 'unavailable', reason: 'key_in_body' };

/**
 * Searches the decoded body. Returns null when the response may be sent, otherwise the failure: the body contains a needle, or it
 * cannot be searched.
 * @param status status of the response
 * @param decodedBytesMax limit of the decoded length
 */
export async function codedRefusal(
  body: Buffer,
  codings: readonly ContentCoding.Coding[],
  status: number,
  needles: Needles,
  decodedBytesMax: number,
): Promise<UpstreamFailure | null> {
  const search = new StreamSearch(needles);
  const isFree = (text: Buffer) => search.push(text) !== null;
  const outcome = await ContentCoding.eachPiece(body, codings, decodedBytesMax, isFree);
  if (outcome === 'whole') return null;
  return outcome === 'stopped' ? keyFound : { kind: 'undecodable', status, reason: `coded_${outcome}` };
}

/** Returns true when `bytes`, read from `from`, agree with the needle until one of them ends. */
function isPrefix(needle: Buffer, bytes: Buffer, from: number): boolean {
  const length = Math.min(needle.length, bytes.length - from);
  for (let at = 0; at < length; at++) if (bytes[from + at] !== needle[at]) return false;
  return true;
}

function spellings(secret: string): Buffer[] {
  const raw = Buffer.from(secret, 'latin1');
  const found = [raw, Buffer.from(secret, 'utf8')];
  if (raw.length < encodedBytesMin) return found;
  const percent = encodeURIComponent(secret);
  const everyPercent = percent.replace(/[!'()*~]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`);
  const texts = [percent, everyPercent, JSON.stringify(secret).slice(1, -1), escapedForHtml(secret)];
  for (const text of texts) {
    found.push(Buffer.from(text));
    found.push(Buffer.from(text.replace(/%[\dA-F]{2}/gi, (octet) => octet.toLowerCase())));
    found.push(Buffer.from(text.replace(/%[\dA-F]{2}/gi, (octet) => octet.toUpperCase())));
    found.push(Buffer.from(text.replaceAll('/', '\\/')));
  }
  for (const offset of [0, 1, 2]) {
    const inner = base64Within(raw, offset);
    found.push(Buffer.from(inner), Buffer.from(inner.replaceAll('+', '-').replaceAll('/', '_')));
    found.push(Buffer.from(inner.replaceAll('/', '\\/')));
    found.push(Buffer.from(encodeURIComponent(inner)));
  }
  // Without its last zero byte the text is found in either byte order.
  found.push(Buffer.from(secret, 'utf16le').subarray(0, -1));
  return found;
}

/** Returns the base64 characters that depend on `secret` alone when it starts `offset` bytes (modulo 3) after the start of the text. */
function base64Within(secret: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), secret]).toString('base64');
  return text.slice(Math.ceil((8 * offset) / 6), Math.floor((8 * (offset + secret.length)) / 6));
}

function escapedForHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
