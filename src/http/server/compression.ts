import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Shorter bodies gain nothing. */
const bytesMin = 1_024;
/** A good ratio at a fraction of the time of level 11. */
const brotliLevel = 4;
const compressible =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|yaml)\b)/i;

export type Coding = 'br' | 'gzip';

/**
 * Chooses the content coding for a response (RFC 9110, section 12.5.3): the one with the highest weight in `Accept-Encoding`, Brotli
 * before gzip where they are equal. Returns null where neither is accepted, or the plain text is preferred.
 */
function choose(acceptEncoding: string | undefined): Coding | null {
  const weights = new Map<string, number>();
  for (const part of (acceptEncoding ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    if (name !== '') weights.set(name, Number(weight));
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gz] = [weightOf('br'), weightOf('gzip')];
  const best = Math.max(br, gz);
  if (!(best > 0) || best < (weights.get('identity') ?? 0)) return null;
  return br === best ? 'br' : 'gzip';
}

/**
 * Compresses one of the storefront's own responses where its client accepts that. Responses marked `no-store` stay plain: they can
 * contain tokens beside text of the request, and the length of a compressed one would reveal them (BREACH).
 */
export async function compress(response: Response, acceptEncoding: string | undefined): Promise<Response> {
  const { headers } = response;
  if (response.body === null || headers.has('content-encoding')) return response;
  if (!compressible.test(headers.get('content-type') ?? '')) return response;
  if (/\bno-store\b/.test(headers.get('cache-control') ?? '')) return response;
  headers.append('vary', 'accept-encoding');
  const coding = choose(acceptEncoding);
  if (coding === null) return response;
  const plain = Buffer.from(await response.arrayBuffer());
  const { status } = response;
  if (plain.length < bytesMin) return new Response(plain, { status, headers });
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: brotliLevel } };
  const packed = coding === 'br' ? await compressBrotli(plain, quality) : await compressGzip(plain);
  headers.set('content-encoding', coding);
  headers.delete('content-length');
  return new Response(packed, { status, headers });
}
