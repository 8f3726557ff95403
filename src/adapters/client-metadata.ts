import { Agent, request } from 'undici';
import { type ClientDocuments, type FoundClient, parseMetadata } from '../identity/oauth/client.ts';
import { publicOnly } from './public-lookup.ts';

const timeoutMs = 5_000;
const documentBytesMax = 16 * 1024;
const cachedMs = 15 * 60_000;
const cachedMax = 1_000;

/**
 * Opens a reader that fetches over https from public addresses only, follows no redirects and caches results for a while.
 * @param allowsLocal also allows http on this machine, for a shop that itself runs on localhost
 */
export function openClientDocuments(allowsLocal: boolean): ClientDocuments {
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(!allowsLocal && { lookup: publicOnly }) },
    maxHeaderSize: documentBytesMax,
    pipelining: 0,
  });
  const cache = new Map<string, { fetched: FoundClient; untilMs: number }>();
  return {
    async find(clientId, nowMs) {
      const known = cache.get(clientId);
      if (known && known.untilMs > nowMs) return known.fetched;
      const fetched = await read(agent, clientId, allowsLocal);
      if (fetched.kind === 'client') {
        cache.delete(clientId);
        cache.set(clientId, { fetched, untilMs: nowMs + cachedMs });
        for (const oldest of cache.keys()) {
          if (cache.size <= cachedMax) break;
          cache.delete(oldest);
        }
      }
      return fetched;
    },
    close: () => agent.close(),
  };
}

async function read(agent: Agent, clientId: string, allowsLocal: boolean): Promise<FoundClient> {
  if (!isDocumentAddress(clientId, allowsLocal))
    return refused('client_id must be an https address with a path, without a fragment or credentials');
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body } = await request(clientId, {
      dispatcher: agent,
      headers: { accept: 'application/json' },
      signal,
    });
    if (statusCode !== 200) {
      await body.dump({ limit: documentBytesMax });
      return refused(`the client metadata document answered ${statusCode}`);
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Leaving the loop destroys the stream.
      if (bytes > documentBytesMax) return refused('the client metadata document is too long');
      chunks.push(chunk);
    }
    return parse(clientId, Buffer.concat(chunks));
  } catch {
    return refused('the client metadata document could not be read');
  }
}

function parse(clientId: string, body: Buffer): FoundClient {
  let document: unknown;
  try {
    document = JSON.parse(body.toString());
  } catch {
    return refused('the client metadata document is not JSON');
  }
  const metadata = parseMetadata(document);
  if ('kind' in metadata) return refused(`the client metadata document: ${metadata.description}`);
  if ((document as { client_id?: unknown }).client_id !== clientId)
    return refused('the client metadata document names another client_id');
  return { kind: 'client', client: { id: clientId, ...metadata } };
}

function isDocumentAddress(clientId: string, allowsLocal: boolean): boolean {
  if (!URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  if (url.href !== clientId || url.hash !== '' || url.username !== '' || url.pathname === '/') return false;
  if (url.protocol === 'http:')
    return allowsLocal && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  // The lookup function below does not see address literals, so they are rejected here.
  return url.protocol === 'https:' && /[a-z]$/i.test(url.hostname);
}

function refused(description: string): FoundClient {
  return { kind: 'refused', description };
}
