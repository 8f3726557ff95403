import { fromForm } from '../schema/form.ts';
import type { Schema } from '../schema/schema.ts';

/** Accepted forms of a request body. */
type BodyRules = { acceptsForms: boolean; bodyIsOptional?: true };
export type Body = { kind: 'parsed'; value: unknown } | Unread;
export type Unread =
  | { kind: 'unreadable' }
  | { kind: 'too_large' }
  /** The body has a content coding, such as gzip. */
  | { kind: 'compressed' }
  /** The operation does not accept its content type. */
  | { kind: 'unsupported'; acceptsForms: boolean };

const bodyBytesMax = 1024 * 1024;
const openingBrace = 0x7b;
const jsonType = /^application\/([\w.-]+\+)?json$/;
const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Parses a JSON body or, if accepted, a form. A body without a content type is parsed as JSON. */
export async function read(
  request: Request,
  schema: Schema,
  { acceptsForms, bodyIsOptional }: BodyRules,
): Promise<Body> {
  if ((request.headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    return { kind: 'compressed' };
  const bytes = await collect(request);
  if (bytes === null) return { kind: 'too_large' };
  if (bodyIsOptional && bytes.length === 0) return { kind: 'parsed', value: {} };
  const type = request.headers.get('content-type') ?? '';
  const media = type.split(';')[0]?.trim().toLowerCase() ?? '';
  const isForm = acceptsForms && forms.includes(media);
  // Never parse a body as another format than its content type says: a gateway in front would count other values.
  if (!isForm && media !== '' && !jsonType.test(media)) return { kind: 'unsupported', acceptsForms };
  // `curl -d` sends JSON with the content type of a form. No field name begins with a brace, so this is unambiguous.
  const isJson = !isForm || bytes[0] === openingBrace;
  try {
    const value = isJson ? json(bytes) : fromForm(schema, await formEntries(bytes, type));
    return { kind: 'parsed', value };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** Reads the body, or returns null if it exceeds the limit. Never buffers more than the limit. */
async function collect(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > bodyBytesMax) return null;
  if (announced !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function json(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

async function formEntries(bytes: Uint8Array<ArrayBuffer>, type: string) {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  return form.entries();
}
