import { fromForm } from '../schema/form.ts';
import type { Schema } from '../schema/schema.ts';

/** How a body may come. */
type Manner = { acceptsForms: boolean; bodyIsOptional?: true };
export type Body = { kind: 'parsed'; value: unknown } | { kind: 'unreadable' } | { kind: 'too_large' };

const bodyBytesMax = 1024 * 1024;
const openingBrace = 0x7b;
const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** Reads a JSON body, or, where forms are welcome, one that a form sent. */
export async function read(
  request: Request,
  schema: Schema,
  { acceptsForms, bodyIsOptional }: Manner,
): Promise<Body> {
  const bytes = await collect(request);
  if (bytes === null) return { kind: 'too_large' };
  if (bodyIsOptional && bytes.length === 0) return { kind: 'parsed', value: {} };
  const type = request.headers.get('content-type') ?? '';
  const isForm = acceptsForms && forms.includes(type.split(';')[0]?.trim().toLowerCase() ?? '');
  // Some clients send JSON under the type of a form, their default; no form of ours begins with a brace.
  const isJson = !isForm || bytes[0] === openingBrace;
  try {
    const value = isJson ? json(bytes) : fromForm(schema, await formEntries(bytes, type));
    return { kind: 'parsed', value };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** The bytes of the body, or null beyond the limit, of which no more than that is ever held. */
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
