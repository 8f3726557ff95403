import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';

export const fonts = ['sans', 'serif', 'rounded', 'mono'] as const;

/** The look of the shop's pages. `colour`: `#rrggbb`, of links and buttons. `logo`: the path of a file. */
export type Brand = {
  readonly colour?: string;
  readonly font?: (typeof fonts)[number];
  readonly logo?: string;
};

/** The font of a shop that chooses none. */
export const usualFont = 'sans';

export type Logo = { readonly type: 'image/svg+xml' | 'image/png'; readonly bytes: Buffer };

const logoBytesMax = 65_536;
const logoPixelsMax = 2_048;
/** Length, type and checksum of a chunk. */
const pngChunkBytes = 12;
const pngHeaderBytes = 13;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

type ReadLogo = { ok: true; logo: Logo } | { ok: false; reason: string };

const embeddedStart = 'data:image/png;base64,';

/** Returns true for a logo that is part of the catalogue's text, as the console writes it. */
export function isEmbedded(name: string): boolean {
  return name.startsWith('data:');
}

/** Returns an uploaded PNG image as the value of `logo`. */
export function embedded(bytes: Buffer): string {
  return embeddedStart + bytes.toString('base64');
}

/**
 * Checks an image that was uploaded. Only PNG is taken: an SVG can contain scripts and addresses of other sites. Its chunks must fill the file
 * exactly, so that no other format hides behind the image. Returns the reason in words that follow "The image".
 */
export function checkUpload(bytes: Buffer): ReadLogo {
  if (bytes.length > logoBytesMax) return tooLong(bytes);
  if (/^\s*(<\?xml|<svg|<!--|<!DOCTYPE svg)/i.test(bytes.toString('latin1', 0, 200)))
    return { ok: false, reason: 'is an SVG, which can contain scripts: convert it to PNG' };
  const size = pngSize(bytes);
  if (size === null) return { ok: false, reason: 'is not a complete PNG image' };
  if (size.width > logoPixelsMax || size.height > logoPixelsMax)
    return { ok: false, reason: `is ${size.width} by ${size.height} pixels: use at most ${logoPixelsMax}` };
  return { ok: true, logo: { type: 'image/png', bytes } };
}

/** Returns the size of a PNG image in pixels; null when the bytes are not one, or more than one. */
function pngSize(bytes: Buffer): { width: number; height: number } | null {
  if (!bytes.subarray(0, pngSignature.length).equals(pngSignature)) return null;
  let size: { width: number; height: number } | null = null;
  for (let at = pngSignature.length; at + pngChunkBytes <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const next = at + pngChunkBytes + length;
    if (next > bytes.length || (size === null) !== (type === 'IHDR')) return null;
    if (type === 'IHDR') {
      if (length !== pngHeaderBytes) return null;
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (type === 'IEND') return next === bytes.length ? size : null;
    at = next;
  }
  return null;
}

function tooLong({ length }: Buffer): ReadLogo {
  return { ok: false, reason: `has ${length} bytes: use an image of at most ${logoBytesMax}` };
}

function readEmbedded(name: string): ReadLogo {
  const base64 = name.startsWith(embeddedStart) ? name.slice(embeddedStart.length) : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    return { ok: false, reason: `is not written as ${embeddedStart}...` };
  return checkUpload(Buffer.from(base64, 'base64'));
}

/**
 * Reads a logo: an SVG or PNG file of at most 64 KiB, or an embedded PNG image. Returns why it cannot be used, in words that follow the name
 * of the file. `folder`: the folder of the catalogue.
 */
export async function readLogo(folder: string, name: string): Promise<ReadLogo> {
  if (isEmbedded(name)) return readEmbedded(name);
  const path = resolve(folder, name);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return { ok: false, reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  if (bytes.length > logoBytesMax) return tooLong(bytes);
  const extension = extname(path).toLowerCase();
  if (extension === '.png' && bytes.subarray(0, pngSignature.length).equals(pngSignature))
    return { ok: true, logo: { type: 'image/png', bytes } };
  if (extension === '.svg' && /<svg[\s>]/.test(bytes.toString()))
    return { ok: true, logo: { type: 'image/svg+xml', bytes } };
  return { ok: false, reason: 'is neither an SVG nor a PNG image with the ending .svg or .png' };
}
