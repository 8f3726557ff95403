import { Agent, request } from 'undici';
import type { Visit, Visited } from '../discovery/visit.ts';

const bytesMax = 4 * 1024 * 1024;
const requestsMax = 400;

/** Makes the requests of an audit: each within `timeoutMs`, none read beyond 4 MiB, so many in all; redirects are not followed. */
export function open(timeoutMs: number): {
  visit: Visit;
  requests: () => number;
  close: () => Promise<void>;
} {
  const dispatcher = new Agent({ connections: 2, connectTimeout: timeoutMs });
  let requests = 0;
  const visit: Visit = async ({ url, method = 'GET', headers = {}, body = null }) => {
    if (requests >= requestsMax) return nothing(`more than ${requestsMax} requests`);
    requests += 1;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await request(url, { dispatcher, method, headers, body, signal });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer.body) {
        bytes += chunk.length;
        if (bytes > bytesMax) return nothing(`more than ${bytesMax} bytes`);
        chunks.push(chunk);
      }
      const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      );
      return {
        status: answer.statusCode,
        headers: new Headers(fields),
        text: Buffer.concat(chunks).toString(),
      };
    } catch (fault) {
      return nothing(fault instanceof Error ? fault.message || fault.name : String(fault));
    }
  };
  return { visit, requests: () => requests, close: () => dispatcher.destroy() };
}

function nothing(text: string): Visited {
  return { status: 0, headers: new Headers(), text };
}
