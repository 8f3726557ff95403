import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export const clientMoments = ['answer begun', 'answer half read', 'answer read', 'stream half read'] as const;
export type ClientMoment = (typeof clientMoments)[number];

/**
 * The outcome of one request. `broken`: no complete response arrived. `left`: none arrived because the caller left, or stopped reading. `part`: what
 * arrived of the response.
 */
export type Attempt =
  | ({ kind: 'whole'; status: number; trailers: NodeJS.Dict<string>; waitedMs: number } & Part)
  | { kind: 'broken'; left: boolean; part: Part | null; waitedMs: number };

export type Part = { headers: IncomingHttpHeaders; body: Buffer };

export type Sent = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** When the caller leaves: this many milliseconds after the request, when the response starts, or after some bytes. `stalls`: it stops reading then. */
  leaves: Leaving | null;
};

export type Leaving = number | 'as it begins' | { afterBytes: number; stalls: boolean };

/** Longer than every time limit of the shop. */
const patienceMs = 40_000;
/** Longer than the shop waits for a caller who does not read (test/fixtures/chaos.yaml). */
const stallMs = 2_500;
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** Sends one request and reads the response as far as it arrives. Never rejects. */
export function make(sent: Sent, tell: (moment: ClientMoment) => void): Promise<Attempt> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    let left = false;
    let isGone = false;
    let part: Part | null = null;
    const waited = () => performance.now() - startedMs;
    const broken = () => resolve({ kind: 'broken', left, part, waitedMs: waited() });
    const headers = { ...sent.headers, 'content-length': String(Buffer.byteLength(sent.body)) };
    const leave = () => {
      left = true;
      isGone = true;
      asking.destroy();
    };
    const asking = request(sent.url, { method: 'POST', headers, agent }, (incoming) => {
      tell('answer begun');
      const chunks: Buffer[] = [];
      const read = (): Part => ({ headers: incoming.headers, body: Buffer.concat(chunks) });
      part = read();
      if (sent.leaves === 'as it begins') {
        leave();
        return broken();
      }
      let bytes = 0;
      const length = Number(incoming.headers['content-length'] ?? 0);
      const place = typeof sent.leaves === 'object' ? sent.leaves : null;
      incoming.on('data', (chunk: Buffer) => {
        if (length === 0 && bytes === 0) tell('stream half read');
        if (bytes < length / 2 && bytes + chunk.length >= length / 2) tell('answer half read');
        chunks.push(chunk);
        bytes += chunk.length;
        if (place === null || left || bytes < place.afterBytes) return;
        if (!place.stalls) return leave();
        left = true;
        incoming.pause();
        setTimeout(() => incoming.resume(), stallMs);
      });
      incoming.on('error', () => undefined);
      incoming.on('close', () => {
        clearTimeout(late);
        part = read();
        // The end may have been parsed without being read.
        if (!incoming.complete || isGone) return broken();
        tell('answer read');
        const { statusCode: status = 0, trailers } = incoming;
        resolve({ kind: 'whole', status, trailers, ...part, waitedMs: waited() });
      });
    });
    const late = setTimeout(leave, typeof sent.leaves === 'number' ? sent.leaves : patienceMs);
    asking.on('error', () => {
      clearTimeout(late);
      // After the header section, `close` of the response follows.
      if (part === null) broken();
    });
    asking.on('close', () => {
      clearTimeout(late);
      if (left && part === null) broken();
    });
    asking.end(sent.body);
  });
}

/** Closes the idle connections. */
export function close(): void {
  agent.destroy();
}
