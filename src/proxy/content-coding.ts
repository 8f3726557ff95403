import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** A content coding (RFC 9110, 8.4.1; zstd is RFC 8878) that this module can decode. */
export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

const codings: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/** A body with more codings than this is not decoded. */
const codingsMax = 2;

const none: readonly Coding[] = [];

/**
 * Returns the codings of a body in the order in which they were applied, from a flat list of headers with names in any case.
 * Several `content-encoding` fields count as one list; without any, the result is empty. Returns `unknown` when a coding is not
 * supported or when there are more than two.
 */
export function parse(headers: readonly string[]): readonly Coding[] | 'unknown' {
  let applied = none;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] as string;
    if (name.length !== 16 || name.toLowerCase() !== 'content-encoding') continue;
    const named = listed(headers[at + 1] as string);
    if (named === 'unknown') return 'unknown';
    applied = applied.length === 0 ? named : [...applied, ...named];
  }
  return applied.length > codingsMax ? 'unknown' : applied;
}

/** Parses the codings of one field. */
function listed(field: string): readonly Coding[] | 'unknown' {
  const found: Coding[] = [];
  for (const item of field.split(',')) {
    const name = item.trim().toLowerCase();
    if (name === '' || name === 'identity') continue;
    const coding = codings.get(name);
    if (coding === undefined) return 'unknown';
    found.push(coding);
  }
  return found;
}

/** `whole`: decoded to its end. `stopped`: the caller wanted no more of it. */
export type Decoded = 'whole' | 'stopped' | 'malformed' | 'too_large';

/**
 * Decodes a body outside the event loop and calls `take` with each decoded piece. Keeps none of the pieces.
 * @param applied the result of `parse`
 * @param bytesMax limit of the decoded length, after each coding
 * @param take returns false to stop
 */
export async function eachPiece(
  body: Buffer,
  applied: readonly Coding[],
  bytesMax: number,
  take: (piece: Buffer) => boolean,
): Promise<Decoded> {
  const [first, ...others] = applied;
  if (first === undefined) return take(body) ? 'whole' : 'stopped';
  let bytes = body;
  for (const coding of others.reverse()) {
    const pieces: Buffer[] = [];
    const outcome = await decodeOnce(bytes, coding, bytesMax, (piece) => pieces.push(piece) > 0);
    if (outcome !== 'whole') return outcome;
    bytes = Buffer.concat(pieces);
  }
  return await decodeOnce(bytes, first, bytesMax, take);
}

/**
 * Decodes a body outside the event loop.
 * @param applied the result of `parse`
 * @param bytesMax limit of the decoded length
 * @returns null when the data is broken or the decoded text is longer
 */
export async function decode(
  body: Buffer,
  applied: readonly Coding[],
  bytesMax: number,
): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  const outcome = await eachPiece(body, applied, bytesMax, (piece) => pieces.push(piece) > 0);
  return outcome === 'whole' ? Buffer.concat(pieces) : null;
}

function decodeOnce(
  body: Buffer,
  coding: Coding,
  bytesMax: number,
  take: (piece: Buffer) => boolean,
): Promise<Decoded> {
  return new Promise((resolve) => {
    const stream = decodingStream(coding, body);
    let bytes = 0;
    const finish = (outcome: Decoded) => {
      stream.destroy();
      resolve(outcome);
    };
    stream.on('error', () => finish('malformed'));
    stream.on('end', () => finish('whole'));
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > bytesMax) finish('too_large');
      else if (!take(piece)) finish('stopped');
    });
    stream.end(body);
  });
}

function decodingStream(coding: Coding, body: Buffer): Transform {
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip();
    case 'deflate':
      return isWrapped(body) ? zlib.createInflate() : zlib.createInflateRaw();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      return zlib.createZstdDecompress();
  }
}

/** Servers use the name `deflate` for two formats: with the zlib wrapper (the standard) and without it. */
function isWrapped(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
