import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Answer } from './customer.ts';

/** Sends exactly these headers, plus `host` and framing, and reads the response without decoding it. */
export async function send(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
): Promise<Answer> {
  const outgoing = request(url, { method, headers, agent: false });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('latin1');
  const given = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    given.append(incoming.rawHeaders[at] as string, incoming.rawHeaders[at + 1] as string);
  return { status: incoming.statusCode ?? 0, headers: given, body: parsed(text), text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
