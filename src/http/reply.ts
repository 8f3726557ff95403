import type { Texts } from '../text/texts.ts';
import type { Outgoing } from './server/outgoing.ts';

/** A response of the storefront itself, independent of how it is sent. */
export type Reply = {
  status: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: Readonly<Record<string, unknown>>;
};

/** `storefront-origin` distinguishes the storefront's own 402, 404 and 429 from the upstream's. */
const own = {
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'storefront-origin': 'storefront',
};

/** A JSON response. */
export function json(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Reply['headers'] = {},
): Reply {
  return { status, headers: { ...own, ...headers }, body };
}

/**
 * An error response with `success`, `code`, `message` and `request_id`.
 * @param message for the caller: the cause and the next step, without internal details
 */
export function error(
  status: number,
  code: string,
  message: string,
  requestId: string,
  members: Readonly<Record<string, unknown>> = {},
  headers: Reply['headers'] = {},
): Reply {
  return json(
    status,
    { success: false, code, message, request_id: requestId, ...members },
    { 'cache-control': 'no-store', ...headers },
  );
}

/** The 429 for a caller who must wait. */
export function tooManyRequests(
  code: string,
  message: string,
  { retryAfterSeconds }: { retryAfterSeconds: number },
  requestId: string,
): Reply {
  return error(429, code, message, requestId, {}, { 'retry-after': String(retryAfterSeconds) });
}

/** The 422 for an invalid request. `errors` lists the problems, and the message names the first three. */
export function unprocessable(
  texts: Texts,
  errors: readonly { field: string; message: string }[],
  requestId: string,
): Reply {
  const first = errors.slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
  const problems = first.join('; ');
  const more = errors.length - first.length;
  const message =
    more > 0
      ? texts.text('api.invalid_request.more', { problems, more })
      : texts.text('api.invalid_request', { problems });
  return error(422, 'invalid_request', message, requestId, {
    errors: errors.slice(0, 20),
  });
}

/** Converts a flat list of names and values into header fields with lower-case names. */
export function headersOf(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2)
    headers[(flat[at] ?? '').toLowerCase()] = flat[at + 1] ?? '';
  return headers;
}

/** Sends a reply as a web response. */
export function toResponse({ status, headers, body }: Reply): Response {
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const line of typeof value === 'string' ? [value] : value) fields.append(name, line);
  }
  return new Response(JSON.stringify(body), { status, headers: fields });
}

/** Sends a reply on the bare connection. */
export function write(outgoing: Outgoing, { status, headers, body }: Reply): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const fields = ['content-length', String(bytes.length)];
  for (const [name, value] of Object.entries(headers))
    for (const line of typeof value === 'string' ? [value] : value) fields.push(name, line);
  outgoing.writeHead(status, fields);
  outgoing.end(bytes);
}

/** Sends a page on the bare connection. */
export async function writePage(outgoing: Outgoing, page: Response): Promise<void> {
  const bytes = Buffer.from(await page.arrayBuffer());
  const fields = ['content-length', String(bytes.length)];
  for (const [name, value] of page.headers) fields.push(name, value);
  outgoing.writeHead(page.status, fields);
  outgoing.end(bytes);
}
