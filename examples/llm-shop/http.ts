import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Usage } from './model.ts';

/** A request whose body was read completely. */
export type Request = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

/** A response: whole, or as the events of a stream. `usage` is what this upstream counts for it. */
export type Response = {
  status: number;
  type: string;
  body: Buffer | readonly string[];
  usage: Usage | null;
};

const bodyBytesMax = 64 * 1024 * 1024;

export function json(status: number, value: unknown, usage: Usage | null = null): Response {
  return { status, type: 'application/json', body: Buffer.from(JSON.stringify(value)), usage };
}

export function stream(events: readonly string[], usage: Usage): Response {
  return { status: 200, type: 'text/event-stream; charset=utf-8', body: events, usage };
}

/** One server-sent event with its name. */
export function named(event: string, value: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** One server-sent event that is only data. */
export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Returns the JSON of a body, or null if it is not an object. */
export function objectOf({ body }: Request): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Returns the fields of a multipart body, or null if it is none. */
export async function formOf({ headers, body }: Request): Promise<FormData | null> {
  const type = headers['content-type'] ?? '';
  return new Response_(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => null);
}
const Response_ = globalThis.Response;

export async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > bodyBytesMax) throw new Error(`the body is longer than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  const url = new URL(incoming.url ?? '/', 'http://upstream');
  const { method = 'GET', headers } = incoming;
  return { method, path: url.pathname, query: url.searchParams, headers, body: Buffer.concat(chunks) };
}

/** Sends a response. Each event is a write of its own, `eventMs` after the one before. */
export async function send(
  outgoing: ServerResponse,
  { status, type, body }: Response,
  eventMs: number,
): Promise<void> {
  if (body instanceof Buffer) {
    outgoing.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body);
    return;
  }
  outgoing.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache' });
  for (const event of body) {
    if (outgoing.destroyed) return;
    outgoing.write(event);
    await new Promise((done) => setTimeout(done, eventMs));
  }
  outgoing.end();
}
