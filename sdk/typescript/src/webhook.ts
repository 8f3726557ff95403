import { ConfigurationError, WebhookVerificationError } from './errors.ts';

/** Headers as `fetch` has them, or as an object of Node, whose names are in lower case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface WebhookOptions {
  /** Seconds by which the timestamp may differ from the time now. Default 300. */
  tolerance?: number;
  /** Milliseconds since 1970. Default: the system clock. */
  now?: number;
}

/** A verified webhook. */
export interface Webhook<Payload = unknown> {
  /** Id of the message, the same when it is sent again: handle each id once. */
  id: string;
  /** Time of sending, in seconds since 1970. */
  timestamp: number;
  payload: Payload;
}

const toleranceDefault = 300;
const secretPrefix = 'whsec_';
const encoder = new TextEncoder();

/**
 * Verifies a webhook that is signed as in Standard Webhooks (HMAC-SHA256, `v1`) and returns its JSON. `body` is the body as it arrived, not parsed.
 * `secret` is `whsec_...`; while a secret is replaced, pass both. Throws `WebhookVerificationError` if it must not be trusted.
 *
 * ```ts
 * import { verifyWebhook } from 'sluice-client';
 *
 * export async function handle(request: Request): Promise<Response> {
 *   const { id, payload } = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET!);
 *   console.log(id, payload);
 *   return new Response(null, { status: 204 });
 * }
 * ```
 */
export async function verifyWebhook<Payload = unknown>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | string[],
  { tolerance = toleranceDefault, now = Date.now() }: WebhookOptions = {},
): Promise<Webhook<Payload>> {
  const keys = [secret].flat().map(keyOf);
  if (keys.length === 0) throw new ConfigurationError('secret is missing.');
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number.');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= tolerance))
    throw new WebhookVerificationError('webhook-timestamp is too old or in the future.');
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const start = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookVerificationError('No signature of the webhook is right.');
  try {
    const payload = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return { id, timestamp: Number(timestamp), payload };
  } catch (cause) {
    throw new WebhookVerificationError('The body of the webhook is not JSON.', { cause });
  }
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  for (const raw of keys) {
    const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
    for (const signature of signatures.split(' ')) {
      const bytes = signature.startsWith('v1,') ? decoded(signature.slice(3)) : null;
      // It compares in constant time.
      if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return true;
    }
  }
  return false;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret : '';
  const key = decoded(text.startsWith(secretPrefix) ? text.slice(secretPrefix.length) : text);
  if (!key?.length) throw new ConfigurationError('secret must be whsec_ and base64.');
  return key;
}

/** Returns the bytes of base64, or null. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null;
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing.`);
  return value;
}
