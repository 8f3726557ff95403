import { Agent, request } from 'undici';
import type { AuditResponse, HttpClient } from '../discovery/http-client.ts';

const bytesMax = 4 * 1024 * 1024;
const requestsMax = 400;

/** Makes the requests of an audit. Each has `timeoutMs` and at most 4 MiB, their number is limited, and redirects are not followed. */
export function openHttpClient(timeoutMs: number): {
  visit: HttpClient;
  requests: () => number;
  close: () => Promise<void>;
} {
  const dispatcher = new Agent({ connections: 2, connectTimeout: timeoutMs });
  let requests = 0;
  const visit: HttpClient = async ({ url, method = 'GET', headers = {}, body = null }) => {
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

function nothing(text: string): AuditResponse {
  return { status: 0, headers: new Headers(), text };
}
