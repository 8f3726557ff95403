import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

/** The look of the shop's pages. `colour`: `#rrggbb`, of links and buttons. `logo`: the path of a file. */
export type Brand = {
  readonly colour?: string;
  readonly font?: 'sans' | 'serif' | 'rounded' | 'mono';
  readonly logo?: string;
};

export type Logo = { readonly type: 'image/svg+xml' | 'image/png'; readonly bytes: Buffer };

const logoBytesMax = 65_536;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Reads a logo: an SVG or PNG file of at most 64 KiB. Returns why it cannot be used, in words that follow the name of the file. */
export async function readLogo(
  path: string,
): Promise<{ ok: true; logo: Logo } | { ok: false; reason: string }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return { ok: false, reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  if (bytes.length > logoBytesMax)
    return { ok: false, reason: `has ${bytes.length} bytes: use an image of at most ${logoBytesMax}` };
  const extension = extname(path).toLowerCase();
  if (extension === '.png' && bytes.subarray(0, pngSignature.length).equals(pngSignature))
    return { ok: true, logo: { type: 'image/png', bytes } };
  if (extension === '.svg' && /<svg[\s>]/.test(bytes.toString()))
    return { ok: true, logo: { type: 'image/svg+xml', bytes } };
  return { ok: false, reason: 'is neither an SVG nor a PNG image with the ending .svg or .png' };
}
