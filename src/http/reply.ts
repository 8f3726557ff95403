import type { Outgoing } from './outgoing.ts';

/** An answer of the storefront itself, before it goes out by either way. */
export type Reply = {
  status: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: Readonly<Record<string, unknown>>;
};

/** `storefront-origin` tells our own 402, 404 and 429 from the upstream's. */
const own = { 'content-type': 'application/json', 'storefront-origin': 'storefront' };

/** A JSON answer. */
export function json(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Reply['headers'] = {},
): Reply {
  return { status, headers: { ...own, ...headers }, body };
}

/**
 * An error (seed 2.7): `success`, `message`, and ours: `code`, `request_id`.
 * @param message one sentence for the caller, nothing of the inside
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

/** The 422 of seed 2.7: all problems, the first three in the message. */
export function unprocessable(
  errors: readonly { field: string; message: string }[],
  requestId: string,
): Reply {
  const first = errors.slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
  const more = errors.length > 3 ? ` (and ${errors.length - 3} more)` : '';
  return error(422, 'invalid_request', `Invalid request: ${first.join('; ')}${more}`, requestId, {
    errors: errors.slice(0, 20),
  });
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
